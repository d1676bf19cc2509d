/// \file The three key sources lead to the same plan.

#include "model/distributions/closed_form_source.hpp"
#include "model/distributions/streamed_source.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/materialized_source.hpp"
#include "model/sorts/rmg/planner.hpp"
#include "model/testing/plain_source.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <tbb/global_control.h>

#include <cmath>
#include <ostream>
#include <vector>

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
    request.key_type = narrow_key_types[*rc::gen::inRange<std::size_t>(0, narrow_key_types.size())];
    request.key_count = *rc::gen::inRange<std::uint64_t>(0, key_count_max);
    request.seed = *rc::gen::arbitrary<std::uint64_t>();
    return request;
}

SortConfig any_config(KeyRequest const& request) {
    SortConfig config;
    config.key_count = request.key_count;
    config.key_type = request.key_type;
    config.gpu_count = *rc::gen::inRange<std::uint32_t>(1, 20);
    config.direction = *rc::gen::element(Direction::ascending, Direction::descending);
    config.digit_bits = *rc::gen::element(1, 3, 5, 8, 11);
    return config;
}

std::vector<std::uint64_t> images_of(KeyGenerator const& generator, Direction direction) {
    std::vector<std::uint64_t> images(generator.key_count());
    generator.images(0, images);
    std::uint64_t const mask =
        key_bits(generator.request().key_type) == 32 ? 0xffffffffULL : ~std::uint64_t{0};
    for (std::uint64_t& image : images) {
        image ^= direction == Direction::descending ? mask : 0;
    }
    return images;
}

bool same_plan(Plan const& a, Plan const& b) {
    return a.passes == b.passes && a.buckets == b.buckets && a.ownership == b.ownership &&
           a.sort_groups == b.sort_groups;
}

TEST(SourcesAgree, MaterializedAndStreamedPlansEqualThatOfAPlainCount) {
    EXPECT_TRUE(rc::check([] {
        auto const request = any_request(20'000);
        auto const generator = KeyGenerator::make(request).value();
        auto const config = any_config(request);
        auto const images = images_of(generator, config.direction);
        PlainSource plain(images);
        Plan const expected = plan_rmg_sort(config, plain);
        StreamedSource streamed(generator, config.direction);
        RC_ASSERT(same_plan(plan_rmg_sort(config, streamed), expected));
        MaterializedSource wide(images);
        RC_ASSERT(same_plan(plan_rmg_sort(config, wide), expected));
        if (key_bits(request.key_type) == 32) {
            std::vector<std::uint32_t> const narrow_images(images.begin(), images.end());
            MaterializedSource narrow(narrow_images);
            RC_ASSERT(same_plan(plan_rmg_sort(config, narrow), expected));
        }
    }));
}

TEST(SourcesAgree, ClosedFormIsExactWherePositionsDetermineTheKeys) {
    EXPECT_TRUE(rc::check([] {
        KeyRequest request = any_request(20'000);
        request.distribution = *rc::gen::element<std::string>("zero",
                                                              "sorted",
                                                              "reverse-sorted",
                                                              "deterministic-duplicates",
                                                              "randomized-duplicates");
        auto const generator = KeyGenerator::make(request).value();
        auto const config = any_config(request);
        StreamedSource streamed(generator, config.direction);
        ClosedFormSource closed_form(generator, config.direction);
        RC_ASSERT(closed_form.counts() == Counts::exact);
        RC_ASSERT(same_plan(plan_rmg_sort(config, closed_form), plan_rmg_sort(config, streamed)));
    }));
}

/// Checks that every count of the first pass is within 7 standard deviations of the expected one,
/// plus 2 per rounded piece.
TEST(SourcesAgree, ClosedFormLiesWithinSamplingBoundsElsewhere) {
    EXPECT_TRUE(rc::check([] {
        auto const request = any_request(200'000);
        auto const generator = KeyGenerator::make(request).value();
        auto const config = any_config(request);
        Chunks const chunks(config.key_count, config.gpu_count);
        DigitLayout const layout(key_bits(config.key_type), config.digit_bits);
        BucketPrefix const whole[] = {{}};
        StreamedSource streamed(generator, config.direction);
        ClosedFormSource closed_form(generator, config.direction);
        auto const counted = streamed.histograms(chunks, layout, whole).front().total();
        auto const expected = closed_form.histograms(chunks, layout, whole).front().total();
        double const pieces = static_cast<double>(std::min<std::size_t>(
            generator.recipe().segments.size() + config.gpu_count, request.key_count));
        std::uint64_t sum = 0;
        for (std::size_t digit = 0; digit < counted.size(); ++digit) {
            sum += expected[digit];
            double const difference = std::fabs(static_cast<double>(counted[digit]) -
                                                static_cast<double>(expected[digit]));
            double const bound =
                7 * std::sqrt(static_cast<double>(expected[digit]) + 7) + 2 * pieces;
            RC_ASSERT(difference <= bound);
        }
        RC_ASSERT(sum == request.key_count);
    }));
}

TEST(SourcesAgree, CountsOfSubBucketsAddUpToTheirBucketOnEveryGpu) {
    EXPECT_TRUE(rc::check([] {
        KeyRequest request = any_request(1);
        request.key_count = *rc::gen::inRange<std::uint64_t>(1, std::uint64_t{1} << 62);
        auto const config = any_config(request);
        ClosedFormSource source(KeyGenerator::make(request).value(), config.direction);
        Chunks const chunks(config.key_count, config.gpu_count);
        DigitLayout const layout(key_bits(config.key_type), config.digit_bits);
        BucketPrefix const whole[] = {{}};
        auto const first = source.histograms(chunks, layout, whole).front();
        std::vector<BucketPrefix> buckets;
        for (std::uint32_t digit = 0; digit < first.digit_count(); ++digit) {
            buckets.push_back(layout.child({}, digit));
        }
        auto const second = source.histograms(chunks, layout, buckets);
        for (GpuId gpu{0}; gpu.value < config.gpu_count; ++gpu.value) {
            std::uint64_t all = 0;
            for (std::uint32_t digit = 0; digit < first.digit_count(); ++digit) {
                std::uint64_t sum = 0;
                for (std::uint64_t const count : second[digit].of(gpu)) {
                    sum += count;
                }
                RC_ASSERT(sum == first.count(gpu, digit));
                all += sum;
            }
            RC_ASSERT(all == chunks.of(gpu).size());
        }
    }));
}

TEST(SourcesAgree, PlansAreTheSameForAnyNumberOfThreads) {
    KeyRequest const request{"zipf", 1.0, KeyType::u32, 3'000'000, 7};
    SortConfig config;
    config.key_count = request.key_count;
    config.gpu_count = 5;
    auto const generator = KeyGenerator::make(request).value();
    auto const plan = [&](std::size_t threads) {
        tbb::global_control const limit(tbb::global_control::max_allowed_parallelism, threads);
        StreamedSource source(generator);
        return plan_rmg_sort(config, source);
    };
    Plan const one = plan(1);
    EXPECT_TRUE(same_plan(one, plan(2)));
    EXPECT_TRUE(same_plan(one, plan(7)));
}

} // namespace
} // namespace keyswap::model
