#include "traces/errors/try.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <string>

namespace keyswap {
namespace {

using Result = tl::expected<std::unique_ptr<int>, std::string>;

Result number(int value) {
    if (value < 0) {
        return tl::unexpected(std::string{"negative"});
    }
    return std::make_unique<int>(value);
}

tl::expected<int, std::string> sum(int a, int b) {
    KEYSWAP_TRY(auto const first, number(a)); // must move: a unique_ptr is not copyable
    KEYSWAP_TRY(std::unique_ptr<int> const second, number(b));
    return *first + *second;
}

tl::expected<void, std::string> check_both(int a, int b, int& checked) {
    KEYSWAP_RETURN_IF_ERROR(number(a));
    ++checked;
    KEYSWAP_RETURN_IF_ERROR(sum(a, b));
    ++checked;
    return {};
}

TEST(Try, DeclaresTheValue) {
    EXPECT_EQ(sum(2, 3), 5);
}

TEST(Try, ReturnsTheFirstError) {
    EXPECT_EQ(sum(-1, 3), tl::unexpected(std::string{"negative"}));
    EXPECT_EQ(sum(2, -3), tl::unexpected(std::string{"negative"}));
}

TEST(Try, GoesOnIfThereIsNoError) {
    int checked = 0;
    EXPECT_TRUE(check_both(1, 2, checked).has_value());
    EXPECT_EQ(checked, 2);
    EXPECT_FALSE(check_both(1, -2, checked).has_value());
    EXPECT_EQ(checked, 3);
}

} // namespace
} // namespace keyswap
