#include "traces/errors/input_limits.hpp"

#include <gtest/gtest.h>

#include <set>

namespace keyswap {
namespace {

TEST(InputLimits, EachHasAnOptionOfItsOwnAndAStandardThatItMayTake) {
    std::set<std::string_view> names;
    for (LimitInfo const& info : input_limits()) {
        EXPECT_EQ(limit_info(info.limit).name, info.name);
        EXPECT_TRUE(info.name.ends_with("-limit"));
        EXPECT_TRUE(names.insert(info.name).second) << info.name;
        EXPECT_LE(info.default_value, info.most);
        EXPECT_EQ(limit_of(info.limit), info.default_value);
    }
}

TEST(InputLimits, AValueHoldsUntilTheStandardsAreAskedFor) {
    ASSERT_TRUE(set_limit(Limit::gpus, 7).has_value());
    EXPECT_EQ(limit_of(Limit::gpus), 7U);
    EXPECT_EQ(beyond_limit(Limit::gpus, "p.toml", "has 8 GPUs").message(),
              "p.toml: has 8 GPUs, and --gpu-limit is 7 (raise --gpu-limit if you trust the file)");
    reset_limits();
    EXPECT_EQ(limit_of(Limit::gpus), limit_info(Limit::gpus).default_value);
}

TEST(InputLimits, MoreThanTheProgramBearsIsRefused) {
    auto const set = set_limit(Limit::depth, 1'001);
    ASSERT_FALSE(set.has_value());
    EXPECT_EQ(set.error().subject, "--depth-limit");
    EXPECT_EQ(limit_of(Limit::depth), limit_info(Limit::depth).default_value);
}

} // namespace
} // namespace keyswap
