#include "tools/bench/bench_plan.hpp"

#include <algorithm>
#include <gtest/gtest.h>

#include <set>
#include <string>

namespace keyswap::tools {
namespace {

TEST(BenchPlan, TakesTheFirstOneTwoFourDevicesAndAllSortsByItself) {
    auto const plan = resolve(BenchOptions{}, 6);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    EXPECT_EQ(plan->sets, (std::vector<std::vector<int>>{{0}, {0, 1}, {0, 1, 2, 3}}));
    EXPECT_EQ(plan->sorts.size(), known_bench_sorts().size());
    EXPECT_EQ(plan->inputs.size(), 1U);
    EXPECT_EQ(plan->stability, Stability::unstable);
    EXPECT_EQ(plan->residences.size(), 2U);
}

TEST(BenchPlan, CrossesTypesDistributionsAndSizes) {
    BenchOptions options;
    options.types = {"u32", "f64"};
    options.distributions = {"uniform", "zipf=0.75"};
    options.key_counts = {"1e6", "2M", "3"};
    options.gpu_sets = {"2,0"};
    options.sorts = {"p2p-merge"};
    options.stable = true;
    auto const plan = resolve(options, 4);
    ASSERT_TRUE(plan.has_value()) << plan.error().message();
    ASSERT_EQ(plan->inputs.size(), 12U);
    EXPECT_EQ(plan->stability, Stability::stable);
    EXPECT_EQ(plan->inputs[4].config.key_count, 2'000'000U);
    EXPECT_EQ(plan->inputs[4].keys->distribution, "zipf");
    EXPECT_EQ(plan->inputs[4].keys->parameter, 0.75);
    EXPECT_EQ(plan->sets, (std::vector<std::vector<int>>{{2, 0}}));
    EXPECT_EQ(plan->sorts.front().measured.algorithm->name, "p2p-merge");
}

TEST(BenchPlan, KnowsWhichSortsTakeKeysOf128Bits) {
    BenchOptions options;
    options.types = {"u128", "b128"};
    auto const all = resolve(options, 1);
    ASSERT_TRUE(all.has_value()) << all.error().message();
    std::set<std::string> wide;
    for (BenchSort const& sort : all->sorts) {
        if (sort.takes({KeyType::u128})) {
            wide.insert(sort.name);
        }
    }
    EXPECT_EQ(
        wide,
        (std::set<std::string>{"cub-merge", "cub-radix", "sample-sort-fast", "sample-sort-paper"}));
    options.sorts = {"sample-sort", "rmg-fast"};
    EXPECT_FALSE(resolve(options, 1).has_value());
    options.types = {"u128", "u64"};
    EXPECT_TRUE(resolve(options, 1).has_value());
}

TEST(BenchPlan, RefusesWhatItDoesNotKnow) {
    auto const refused = [](auto const& change) {
        BenchOptions options;
        change(options);
        return !resolve(options, 4).has_value();
    };
    EXPECT_TRUE(refused([](BenchOptions& options) { options.sorts = {"quick"}; }));
    EXPECT_TRUE(refused([](BenchOptions& options) { options.gpu_sets = {"0,x"}; }));
    EXPECT_TRUE(refused([](BenchOptions& options) { options.distributions = {"zipf="}; }));
    EXPECT_TRUE(refused([](BenchOptions& options) { options.distributions = {"zapf"}; }));
    EXPECT_TRUE(refused([](BenchOptions& options) { options.types = {"u16"}; }));
    EXPECT_TRUE(refused([](BenchOptions& options) { options.residences = {"disk"}; }));
    EXPECT_TRUE(refused([](BenchOptions& options) { options.gpu_count = 65; }));
    EXPECT_TRUE(refused([](BenchOptions& options) { options.bins = {2}; }));
    EXPECT_TRUE(refused([](BenchOptions& options) { options.key_counts = {"many"}; }));
}

} // namespace
} // namespace keyswap::tools
