/// \file Refinements divide buckets without gap or overlap, and all key sources yield the same
/// counts for their children.

#include "model/distributions/closed_form_source.hpp"
#include "model/distributions/streamed_source.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/materialized_source.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/sorts/sample/refined_planner.hpp"
#include "model/sorts/sample/splitters.hpp"
#include "model/testing/plain_source.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <memory>
#include <ostream>

namespace keyswap::model {

std::ostream& operator<<(std::ostream& out, KeyRequest const& request) {
    return out << request.distribution << ' ' << to_string(request.key_type)
               << " n=" << request.key_count << " seed=" << request.seed;
}

namespace {

KeyRequest any_request(std::uint64_t key_count_max) {
    auto const list = distributions();
    KeyRequest request;
    request.distribution = list[*rc::gen::inRange<std::size_t>(0, list.size())].name;
    request.key_type = *rc::gen::elementOf(every_key_type);
    request.key_count = *rc::gen::inRange<std::uint64_t>(1, key_count_max);
    request.seed = *rc::gen::arbitrary<std::uint64_t>();
    return request;
}

std::unique_ptr<Refinement> any_refinement(int bits) {
    auto const ways = *rc::gen::inRange<std::uint32_t>(2, 257);
    if (*rc::gen::arbitrary<bool>()) {
        return std::make_unique<UniformRefinement>(bits, ways);
    }
    return std::make_unique<SplitterRefinement>(
        bits,
        SampleParameters{
            ways, *rc::gen::inRange<std::uint32_t>(1, 40), *rc::gen::arbitrary<std::uint64_t>()});
}

SortConfig any_config(KeyRequest const& request) {
    SortConfig config;
    config.key_count = request.key_count;
    config.key_type = request.key_type;
    config.gpu_count = *rc::gen::inRange<std::uint32_t>(2, 20);
    config.direction = *rc::gen::element(Direction::ascending, Direction::descending);
    config.tolerance_ppm = *rc::gen::element(0U, 5'000U, 20'000U);
    return config;
}

bool same_plan(Plan const& a, Plan const& b) {
    return a.passes == b.passes && a.buckets == b.buckets && a.ownership == b.ownership &&
           a.sort_groups == b.sort_groups;
}

std::vector<uint128> images_of_all(KeyGenerator const& generator, Direction direction) {
    std::vector<std::uint64_t> positions(generator.key_count());
    for (std::size_t i = 0; i < positions.size(); ++i) {
        positions[i] = i;
    }
    return generated_images(generator, direction, positions);
}

TEST(Refinements, MaterializedAndStreamedPlansEqualThatOfAPlainCount) {
    EXPECT_TRUE(rc::check([] {
        auto const request = any_request(3'000);
        auto const generator = KeyGenerator::make(request).value();
        auto const config = any_config(request);
        auto const refinement = any_refinement(key_bits(request.key_type));
        auto const images = images_of_all(generator, config.direction);
        PlainSource plain(images);
        auto const expected = plan_refined_sort(config, *refinement, plain);
        RC_PRE(expected.has_value());
        StreamedSource streamed(generator, config.direction);
        RC_ASSERT(same_plan(*plan_refined_sort(config, *refinement, streamed), *expected));
        with_image_type(request.key_type, [&]<class Image>(Image) {
            std::vector<Image> typed(images.size());
            std::ranges::transform(
                images, typed.begin(), [](uint128 image) { return static_cast<Image>(image); });
            MaterializedSource materialized{std::span<Image const>(typed)};
            RC_ASSERT(same_plan(*plan_refined_sort(config, *refinement, materialized), *expected));
        });
    }));
}

TEST(Refinements, ClosedFormIsExactWherePositionsDetermineTheKeys) {
    EXPECT_TRUE(rc::check([] {
        KeyRequest request = any_request(3'000);
        request.distribution = *rc::gen::element<std::string>("zero",
                                                              "sorted",
                                                              "reverse-sorted",
                                                              "deterministic-duplicates",
                                                              "randomized-duplicates");
        auto const generator = KeyGenerator::make(request).value();
        auto const config = any_config(request);
        auto const refinement = any_refinement(key_bits(request.key_type));
        StreamedSource streamed(generator, config.direction);
        ClosedFormSource closed_form(generator, config.direction);
        auto const expected = plan_refined_sort(config, *refinement, streamed);
        RC_PRE(expected.has_value());
        RC_ASSERT(same_plan(*plan_refined_sort(config, *refinement, closed_form), *expected));
    }));
}

TEST(Refinements, ClosedFormCountsAddUpToEveryChunk) {
    EXPECT_TRUE(rc::check([] {
        KeyRequest request = any_request(std::uint64_t{1} << 40);
        auto const config = any_config(request);
        ClosedFormSource source(KeyGenerator::make(request).value(), config.direction);
        Chunks const chunks(config.key_count, config.gpu_count);
        int const bits = key_bits(request.key_type);
        SpanningBucket const whole{{}, {0, largest_image_of_bits(bits)}};
        auto const pass = any_refinement(bits)->refine(1, std::span(&whole, 1), source);
        auto const counted = source.histograms(chunks, pass.buckets, 512).front();
        for (GpuId gpu{0}; gpu.value < config.gpu_count; ++gpu.value) {
            std::uint64_t sum = 0;
            for (std::uint64_t const count : counted.of(gpu)) {
                sum += count;
            }
            RC_ASSERT(sum == chunks.of(gpu).size());
        }
    }));
}

TEST(Refinements, ChildrenCoverTheirBucketWithoutGapOrOverlap) {
    EXPECT_TRUE(rc::check([] {
        auto const request = any_request(3'000);
        StreamedSource source(KeyGenerator::make(request).value());
        int const bits = key_bits(request.key_type);
        auto const lowest = *rc::gen::inRange<std::uint64_t>(0, 1'000'000);
        auto const width = *rc::gen::inRange<std::uint64_t>(1, 1'000'000);
        SpanningBucket const bucket{{1, 7}, {lowest, lowest + width}};
        auto const pass = *rc::gen::inRange(1, 4);
        auto const refined = any_refinement(bits)->refine(pass, std::span(&bucket, 1), source);
        uint128 next = bucket.images.lowest;
        for (ImageInterval const& child : refined.buckets.front().children) {
            if (!child.empty()) {
                RC_ASSERT(child.lowest == next);
                next = child.highest + 1;
                RC_ASSERT((child.single_valued() ||
                           child.highest - child.lowest < bucket.images.highest - lowest));
            }
        }
        RC_ASSERT(next == bucket.images.highest + 1);
    }));
}

TEST(Refinements, SplittersMakeAtMostAsManyBucketsAsWaysOrThree) {
    EXPECT_TRUE(rc::check([] {
        auto const drawn = *rc::gen::nonEmpty(
            rc::gen::container<std::vector<std::uint64_t>>(rc::gen::inRange<std::uint64_t>(0, 30)));
        std::vector<uint128> sample(drawn.begin(), drawn.end());
        std::ranges::sort(sample);
        auto const ways = *rc::gen::inRange<std::uint32_t>(2, 40);
        auto const function = splitter_function(splitters_of(sample, ways));
        RC_ASSERT(validated(function, 64).has_value());
        RC_ASSERT(function.buckets <= std::max(ways, 3U));
    }));
}

} // namespace
} // namespace keyswap::model
