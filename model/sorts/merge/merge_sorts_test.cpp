#include "model/keys/plain_source.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/merge/merge_model.hpp"
#include "model/sorts/merge/p2p_merge.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace keyswap::model {
namespace {

SortConfig config_of(std::uint64_t key_count, std::uint32_t gpu_count) {
    SortConfig config;
    config.key_count = key_count;
    config.gpu_count = gpu_count;
    return config;
}

std::vector<std::uint64_t> scrambled(std::size_t count, std::uint64_t distinct) {
    std::vector<std::uint64_t> images(count);
    for (std::size_t i = 0; i < count; ++i) {
        images[i] = mix_bits(i) % distinct;
    }
    return images;
}

/// Plans and replays with the algorithm of that name, values being input indices.
void expect_sorted(std::string_view name,
                   std::vector<std::uint64_t> const& images,
                   std::uint32_t gpu_count) {
    Algorithm const& algorithm = **find_algorithm(name);
    PlainSource source(images);
    auto const plan = algorithm.plan(config_of(images.size(), gpu_count), source);
    ASSERT_TRUE(plan.has_value());
    std::vector<std::uint32_t> keys(images.begin(), images.end());
    std::vector<std::uint32_t> values(images.size());
    std::iota(values.begin(), values.end(), 0U);
    std::vector<std::uint32_t> key_scratch(images.size());
    std::vector<std::uint32_t> value_scratch(images.size());
    ReplayMemory<std::uint32_t, std::uint32_t> const memory{{keys, values},
                                                            {key_scratch, value_scratch}};
    auto const violation = (*plan)->replay(memory, nullptr);
    ASSERT_FALSE(violation.has_value()) << describe(*violation);
    ASSERT_TRUE(std::ranges::is_sorted(keys));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(keys[i], images[values[i]]);
    }
    std::ranges::sort(values);
    for (std::uint32_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], i);
    }
}

class EveryAlgorithm : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryAlgorithm, SortsManyAndFewDistinctKeys) {
    for (std::uint32_t gpu_count : {1U, 2U, 4U, 8U}) {
        for (std::uint64_t distinct : {1ULL, 2ULL, 10ULL, 1ULL << 32}) {
            for (std::size_t size : {0U, 1U, 7U, 1003U}) {
                SCOPED_TRACE(testing::Message() << gpu_count << " GPUs, " << distinct
                                                << " distinct, " << size << " keys");
                expect_sorted(GetParam(), scrambled(size, distinct), gpu_count);
            }
        }
    }
}

TEST_P(EveryAlgorithm, SortsSortedAndReversedKeys) {
    std::vector<std::uint64_t> images(999);
    std::iota(images.begin(), images.end(), 0U);
    expect_sorted(GetParam(), images, 4);
    std::ranges::reverse(images);
    expect_sorted(GetParam(), images, 4);
}

INSTANTIATE_TEST_SUITE_P(
    Algorithms,
    EveryAlgorithm,
    testing::Values("rmg", "p2p-merge", "het-merge", "sample-sort", "quicksort", "uniform-buckets"),
    [](auto const& algorithm) {
        std::string name(algorithm.param);
        std::ranges::replace(name, '-', '_');
        return name;
    });

TEST(P2pMerge, SortedInputSwapsNothing) {
    std::vector<std::uint64_t> images(800);
    std::iota(images.begin(), images.end(), 0U);
    PlainSource source(images);
    auto const plan = plan_p2p_merge_sort(config_of(800, 4), source);
    ASSERT_TRUE(plan.has_value());
    ASSERT_EQ(plan->stages.size(), 3U);
    for (MergeStage const& stage : plan->stages) {
        EXPECT_TRUE(stage.swaps.empty());
        EXPECT_TRUE(stage.merges.empty());
    }
}

TEST(P2pMerge, ReversedHalvesAreExchangedWhole) {
    std::vector<std::uint64_t> images(800);
    std::iota(images.rbegin(), images.rend(), 0U);
    PlainSource source(images);
    auto const plan = plan_p2p_merge_sort(config_of(800, 2), source);
    ASSERT_TRUE(plan.has_value());
    ASSERT_EQ(plan->stages.size(), 1U);
    EXPECT_EQ(plan->stages[0].swaps, (std::vector<PairSwap>{{GpuId{0}, 0, GpuId{1}, 0, 400}}));
    EXPECT_TRUE(plan->stages[0].merges.empty());
}

TEST(P2pMerge, EightGpusNeedSevenStages) {
    PlainSource source(scrambled(800, 1U << 30));
    auto const plan = plan_p2p_merge_sort(config_of(800, 8), source);
    ASSERT_TRUE(plan.has_value());
    EXPECT_EQ(plan->stages.size(), 7U);
}

TEST(P2pMerge, ThreeGpusAreRefused) {
    PlainSource source(scrambled(30, 100));
    auto const plan = plan_p2p_merge_sort(config_of(30, 3), source);
    ASSERT_FALSE(plan.has_value());
    EXPECT_EQ(plan.error().message(),
              "p2p-merge: 3 GPUs are not a power of two (give 1, 2, 4, 8 ... GPUs, or use rmg)");
}

TEST(MergeReplay, APlanForOtherKeysIsAViolation) {
    PlainSource source(scrambled(100, 1U << 30));
    MergePlan const plan = *plan_p2p_merge_sort(config_of(100, 4), source);
    std::vector<std::uint32_t> keys(100);
    std::iota(keys.rbegin(), keys.rend(), 0U);
    std::vector<std::uint32_t> scratch(100);
    auto const violation = merge_sort_plan(plan)->replay(
        ReplayMemory<std::uint32_t, NoValue>{{keys, {}}, {scratch, {}}}, nullptr);
    ASSERT_TRUE(violation.has_value());
    EXPECT_EQ(violation->property, "sorted");
}

} // namespace
} // namespace keyswap::model
