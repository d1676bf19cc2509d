#include "tools/text/bounded_json.hpp"

#include "traces/errors/input_limits.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

std::string nested(std::uint64_t count) {
    return std::string(count, '[') + std::string(count, ']');
}

TEST(BoundedJson, ReadsWhatNestsAsDeepAsAllowedAndNoDeeper) {
    std::uint64_t const depth_max = limit_of(Limit::depth);
    EXPECT_TRUE(parse_bounded_json(nested(depth_max), "a.json").has_value());
    for (std::uint64_t const depth : {depth_max + 1, std::uint64_t{200'000}}) {
        auto const refused = parse_bounded_json(nested(depth), "a.json");
        ASSERT_FALSE(refused.has_value()) << depth;
        EXPECT_EQ(refused.error().subject, "a.json");
        EXPECT_NE(refused.error().problem.find("64 deep"), std::string::npos);
        EXPECT_NE(refused.error().remedy.find("--depth-limit"), std::string::npos);
    }
    // Brackets inside strings do not count.
    EXPECT_TRUE(parse_bounded_json("[\"" + std::string(1000, '[') + "\"]", "a.json").has_value());
}

TEST(BoundedJson, RefusesWhatIsNoJson) {
    for (char const* const text : {"", "{", "[1,]", "nul", "{} {}"}) {
        auto const refused = parse_bounded_json(text, "a.json");
        ASSERT_FALSE(refused.has_value()) << text;
        EXPECT_NE(refused.error().message().find("a.json: is not JSON"), std::string::npos);
    }
}

} // namespace
} // namespace keyswap::tools
