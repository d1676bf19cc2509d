#include "tools/options/sorted_type.hpp"

#include "model/key_files/narrow_type.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

TEST(SortedType, IsOneOfThoseThatKernelsHave) {
    EXPECT_EQ(parse_sorted_type("u32").value(), KeyType::u32);
    EXPECT_EQ(parse_sorted_type("b128").value(), KeyType::b128);
    auto const unknown = parse_sorted_type("u33");
    ASSERT_FALSE(unknown.has_value());
    EXPECT_NE(unknown.error().problem.find("not known"), std::string::npos);
}

TEST(SortedType, OfNarrowKeysSaysByWhichTheyAreSorted) {
    for (model::NarrowTraits const& traits : model::narrow_traits) {
        model::NarrowType const narrow = traits.type;
        auto const refused = parse_sorted_type(to_string(narrow));
        ASSERT_FALSE(refused.has_value()) << to_string(narrow);
        EXPECT_EQ(refused.error().subject, "--type " + std::string(to_string(narrow)));
        std::string const wide(to_string(model::widened_type(narrow)));
        EXPECT_NE(refused.error().remedy.find("to " + wide + ","), std::string::npos);
        EXPECT_NE(refused.error().remedy.find("keyswap check"), std::string::npos);
    }
}

} // namespace
} // namespace keyswap::tools
