#include "model/sorts/sample/refined_planner.hpp"

#include "model/distributions/closed_form_source.hpp"
#include "model/distributions/streamed_source.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/materialized_source.hpp"
#include "model/sorts/rmg/replay.hpp"
#include "model/sorts/sample/splitters.hpp"
#include "model/testing/plain_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <numeric>

namespace keyswap::model {
namespace {

constexpr std::uint32_t tolerance_ppm = 20'000; ///< 2 %: splitters never coincide with a border

SortConfig config_of(KeyRequest const& request, std::uint32_t gpu_count) {
    SortConfig config;
    config.key_count = request.key_count;
    config.key_type = request.key_type;
    config.gpu_count = gpu_count;
    config.tolerance_ppm = tolerance_ppm;
    return config;
}

template <class Image>
void expect_sorts(KeyRequest const& request, Refinement const& refinement, Direction direction) {
    auto const generator = KeyGenerator::make(request).value();
    SortConfig config = config_of(request, 8);
    config.direction = direction;
    config.value_type = ValueType::bits32;
    std::vector<Image> keys(request.key_count);
    generator.images(0, std::span(keys));
    if (direction == Direction::descending) {
        std::ranges::transform(keys, keys.begin(), [](Image key) { return ~key; });
    }
    std::vector<Image> const input = keys;
    std::vector<std::uint32_t> values(keys.size());
    std::iota(values.begin(), values.end(), 0U);
    std::vector<Image> key_scratch(keys.size());
    std::vector<std::uint32_t> value_scratch(keys.size());
    MaterializedSource source{std::span<Image const>(input)};
    auto const plan = plan_refined_sort(config, refinement, source);
    ASSERT_TRUE(plan) << plan.error().message();
    for (OwnershipRecord const& owned : plan->ownership) {
        EXPECT_LE(owned.count, plan->chunks.size() + 2 * plan->tolerance);
    }
    auto const violation =
        replay_rmg_sort(*plan,
                        KeyArrays<Image, std::uint32_t>{keys, values},
                        KeyArrays<Image, std::uint32_t>{key_scratch, value_scratch},
                        nullptr);
    ASSERT_FALSE(violation) << describe(*violation);
    EXPECT_TRUE(std::ranges::is_sorted(keys));
    for (std::size_t i = 0; i < keys.size(); ++i) {
        ASSERT_EQ(input[values[i]], keys[i]) << "a value left its key";
    }
    std::ranges::sort(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        ASSERT_EQ(values[i], i);
    }
}

TEST(SampleSort, SortsEveryDistributionAndKeyTypeOnEightGpus) {
    for (Distribution const& distribution : distributions()) {
        for (KeyType const type : every_key_type) {
            SCOPED_TRACE(std::string(distribution.name) + ' ' + std::string(to_string(type)));
            KeyRequest const request{std::string(distribution.name), {}, type, 20'011, 3};
            SplitterRefinement const refinement(key_bits(type), {});
            auto const direction =
                type == KeyType::i32 ? Direction::descending : Direction::ascending;
            with_image_type(type, [&]<class Image>(Image) {
                expect_sorts<Image>(request, refinement, direction);
            });
        }
    }
}

TEST(SampleSort, QuicksortAndUniformBucketsAreTheSameSortWithOtherRefinements) {
    for (char const* const distribution : {"uniform", "zipf", "zero", "bucket-sorted", "sorted"}) {
        SCOPED_TRACE(distribution);
        KeyRequest const request{distribution, {}, KeyType::u32, 20'011, 3};
        expect_sorts<std::uint32_t>(
            request, SplitterRefinement(32, {2, 1, 1}), Direction::ascending);
        expect_sorts<std::uint32_t>(request, UniformRefinement(32, 256), Direction::ascending);
        expect_sorts<std::uint32_t>(request, UniformRefinement(32, 3), Direction::ascending);
    }
}

Expected<Plan> plan_sample_sort(SortConfig const& config, KeySource& source) {
    return plan_refined_sort(config, SplitterRefinement(key_bits(config.key_type), {}), source);
}

int passes_of(char const* distribution, KeyType type, std::uint64_t key_count) {
    KeyRequest const request{distribution, {}, type, key_count, 3};
    StreamedSource source(KeyGenerator::make(request).value());
    return plan_sample_sort(config_of(request, 8), source).value().pass_count();
}

TEST(SampleSort, DuplicatesTakeOnePassMostDistributionsAtMostTwo) {
    for (KeyType const type : {KeyType::u32, KeyType::f64, KeyType::i128}) {
        EXPECT_EQ(passes_of("zero", type, 1'000'000), 1);
        EXPECT_EQ(passes_of("deterministic-duplicates", type, 1'000'000), 1);
        EXPECT_LE(passes_of("uniform", type, 1'000'000), 2);
        EXPECT_LE(passes_of("zipf", type, 1'000'000), 2);
    }
}

TEST(SampleSort, OneGpuAndNoKeysNeedNoPass) {
    KeyRequest const request{"uniform", {}, KeyType::u32, 1000, 1};
    StreamedSource source(KeyGenerator::make(request).value());
    auto const plan = plan_sample_sort(config_of(request, 1), source).value();
    EXPECT_EQ(plan.pass_count(), 0);
    EXPECT_EQ(plan.sort_groups, (std::vector<SortGroup>{{GpuId{0}, 0, 1000, 32, 1}}));
    PlainSource none(std::vector<uint128>{});
    EXPECT_EQ(plan_sample_sort(config_of({"uniform", {}, KeyType::u32, 0, 1}, 4), none)
                  .value()
                  .pass_count(),
              0);
}

TEST(Splitters, AreEveryAthKeyOfTheSampleAndRepeatedOnesGetEqualityBuckets) {
    // k = 4, a = 2: the keys 2, 4 and 6 of 8.
    std::vector<uint128> const sample{1, 3, 5, 5, 5, 5, 8, 9};
    SplitterBuckets const splitters = splitters_of(sample, 4);
    EXPECT_EQ(splitters.splitters, (std::vector<KeyImage>{{0, 3}, {0, 5}}));
    EXPECT_EQ(splitters.equality, (std::vector<bool>{false, true}));
    std::vector<uint128> const single{7};
    EXPECT_EQ(splitters_of(single, 256).equality, (std::vector<bool>{true}));
    std::vector<uint128> const few{7, 8, 9};
    EXPECT_EQ(splitters_of(few, 256).splitters.size(), 3U);
}

TEST(Splitters, DistinguishKeysByBothHalves) {
    uint128 const high = uint128{7} << 64;
    std::vector<uint128> const sample{3, high | 1, high | 1, high | 2};
    SplitterBuckets const splitters = splitters_of(sample, 4);
    EXPECT_EQ(splitters.splitters, (std::vector<KeyImage>{{0, 3}, {7, 1}}));
    EXPECT_EQ(splitters.equality, (std::vector<bool>{false, true}));
}

TEST(Splitters, PositionsOfASampleDependOnSeedAndDrawAlone) {
    // mulhi64(mix_bits(5 + 2 * 9e3779b97f4a7c15), 1000), computed independently.
    EXPECT_EQ(sample_position(5, 2, 1000), 752U);
    EXPECT_EQ(sample_position(5, 2, 1), 0U);
}

TEST(SampleSort, AClosedFormPlanOfATrillionKeysTakesATenthOfASecond) {
    KeyRequest const request{"uniform", {}, KeyType::u32, 1'000'000'000'000, 3};
    SortConfig const config = config_of(request, 72);
    ClosedFormSource source(KeyGenerator::make(request).value());
    auto const start = std::chrono::steady_clock::now();
    auto const plan = plan_sample_sort(config, source);
    std::chrono::duration<double> const seconds = std::chrono::steady_clock::now() - start;
    ASSERT_TRUE(plan);
    RecordProperty("milliseconds", std::to_string(seconds.count() * 1000));
    RecordProperty("passes", plan->pass_count());
    for (OwnershipRecord const& owned : plan->ownership) {
        EXPECT_LE(owned.count, plan->chunks.size() + 2 * plan->tolerance);
    }
}

} // namespace
} // namespace keyswap::model
