#include "model/sorts/algorithm.hpp"
#include "model/sorts/merge/merge_model.hpp"
#include "model/sorts/merge/p2p_merge.hpp"
#include "model/testing/plain_source.hpp"

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

/// Plans and replays a sort with the named algorithm; values are input indices.
void expect_sorted(std::string_view name,
                   std::vector<std::uint64_t> const& images,
                   SortConfig const& config) {
    Algorithm const& algorithm = **find_algorithm(name);
    PlainSource source(images);
    auto const plan = algorithm.plan(config, source);
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

void expect_sorted(std::string_view name,
                   std::vector<std::uint64_t> const& images,
                   std::uint32_t gpu_count) {
    expect_sorted(name, images, config_of(images.size(), gpu_count));
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

SortConfig config_of_runs(std::uint64_t key_count, std::uint64_t run_keys) {
    SortConfig config = config_of(key_count, 1);
    config.parameters["run-keys"] = run_keys;
    return config;
}

struct RunSteps {
    std::vector<SortRangeRecord> sorts;
    std::vector<MergeRecord> merges;
};

RunSteps steps_of(std::string_view name, SortConfig const& config) {
    PlainSource none(std::vector<uint128>{});
    RunSteps steps;
    (*(*find_algorithm(name))->plan(config, none))->for_each_step([&](PlanStep const& step) {
        if (auto const* const sort = std::get_if<SortRangeRecord>(&step)) {
            steps.sorts.push_back(*sort);
        } else {
            steps.merges.push_back(std::get<MergeRecord>(step));
        }
    });
    return steps;
}

TEST(RunMerge, SortsRunsOfAnyNumberAndSize) {
    for (char const* const name : {"network-merge", "simd-merge"}) {
        for (std::size_t size : {0U, 1U, 63U, 64U, 65U, 192U, 1003U}) {
            SCOPED_TRACE(testing::Message() << name << ", " << size << " keys");
            expect_sorted(name, scrambled(size, 1ULL << 32), config_of_runs(size, 64));
            expect_sorted(name, scrambled(size, 3), config_of_runs(size, 64));
        }
    }
}

TEST(RunMerge, PairsAreMergedInPassesAndTheOddRunWaits) {
    // 23 keys in runs of 4: 4 4 4 4 4 3, then 8 8 7, then 16 7.
    auto const [sorts, merges] = steps_of("network-merge", config_of_runs(23, 4));
    GpuId const gpu{0};
    EXPECT_EQ(sorts.size(), 6U);
    EXPECT_EQ(sorts[5], (SortRangeRecord{gpu, 20, 3, 0, 32}));
    EXPECT_EQ(merges,
              (std::vector<MergeRecord>{{0, gpu, 0, {4, 4}},
                                        {0, gpu, 8, {4, 4}},
                                        {0, gpu, 16, {4, 3}},
                                        {1, gpu, 0, {8, 8}},
                                        {2, gpu, 0, {16, 7}}}));
}

TEST(RunMerge, ACpuMergesAllRunsAtOnce) {
    auto const [sorts, merges] = steps_of("simd-merge", config_of_runs(23, 10));
    EXPECT_EQ(sorts.size(), 3U);
    EXPECT_EQ(merges, (std::vector<MergeRecord>{{0, std::nullopt, 0, {10, 10, 3}}}));
    EXPECT_TRUE(steps_of("simd-merge", config_of_runs(10, 10)).merges.empty());
}

TEST(RunMerge, SeveralGpusAndMillionsOfRunsAreRefused) {
    PlainSource none(std::vector<uint128>{});
    Algorithm const& algorithm = **find_algorithm("network-merge");
    SortConfig config = config_of(100, 2);
    EXPECT_FALSE(algorithm.plan(config, none));
    config = config_of_runs(1ULL << 40, 256);
    auto const plan = algorithm.plan(config, none);
    ASSERT_FALSE(plan);
    EXPECT_EQ(plan.error().subject, "--run-keys 256");
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
