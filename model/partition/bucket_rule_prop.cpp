/// \file Evaluating bucket functions through their intervals agrees with their definition.

#include "model/partition/bucket_rule.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>

namespace keyswap::model {
namespace {

std::uint64_t any_image(int bits) {
    // Small numbers hit splitters and edges; random words never do.
    std::uint64_t const mask = static_cast<std::uint64_t>(largest_image_of_bits(bits));
    std::uint64_t const word = *rc::gen::arbitrary<std::uint64_t>();
    std::uint64_t const near = *rc::gen::inRange<std::uint64_t>(0, 40);
    return *rc::gen::element(word & mask, near & mask, (mask - near) & mask);
}

SplitterBuckets any_splitters(int bits) {
    SplitterBuckets rule;
    auto const count = *rc::gen::inRange<std::size_t>(0, 20);
    for (std::size_t i = 0; i < count; ++i) {
        rule.splitters.push_back({0, any_image(bits)});
    }
    std::ranges::sort(rule.splitters);
    auto const repeated = std::unique(rule.splitters.begin(), rule.splitters.end());
    rule.splitters.erase(repeated, rule.splitters.end());
    rule.tie = *rc::gen::element(Tie::left, Tie::right);
    for (std::size_t i = 0; i < rule.splitters.size(); ++i) {
        rule.equality.push_back(rule.tie == Tie::left && *rc::gen::arbitrary<bool>());
    }
    return rule;
}

/// Evaluates the definition directly, splitter by splitter.
std::uint32_t bucket_by_definition(SplitterBuckets const& rule, std::uint64_t image) {
    std::uint32_t below = 0;
    std::uint32_t flagged = 0;
    for (std::size_t i = 0; i < rule.splitters.size(); ++i) {
        std::uint64_t const splitter = rule.splitters[i].low;
        if (rule.tie == Tie::right ? splitter <= image : splitter < image) {
            ++below;
            flagged += rule.equality[i] ? 1 : 0;
        } else if (rule.tie == Tie::left && splitter == image && rule.equality[i]) {
            return below + flagged + 1;
        }
    }
    return below + flagged;
}

TEST(BucketRuleProperties, SplittersMeanWhatTheirDefinitionSays) {
    EXPECT_TRUE(rc::check([] {
        int const bits = *rc::gen::element(6, 32, 64);
        auto const function = splitter_function(any_splitters(bits));
        RC_ASSERT(validated(function, bits).has_value());
        BucketEvaluator const evaluator(function, bits);
        for (int i = 0; i < 50; ++i) {
            std::uint64_t const image = any_image(bits);
            RC_ASSERT(evaluator.bucket_of(image, 0) ==
                      bucket_by_definition(std::get<SplitterBuckets>(function.rule), image));
        }
    }));
}

TEST(BucketRuleProperties, DeltaAndDigitMeanDivisionAndShift) {
    EXPECT_TRUE(rc::check([] {
        int const bits = *rc::gen::element(6, 32, 64);
        DeltaBuckets delta{{0, any_image(bits)}, {0, any_image(bits)}};
        delta.width.low = std::max<std::uint64_t>(1, delta.width.low);
        BucketFunction const function{*rc::gen::inRange<std::uint32_t>(1, 300), delta};
        BucketEvaluator const by_delta(function, bits);
        int const digit_bits = *rc::gen::inRange(1, 6);
        int const shift = *rc::gen::inRange(0, bits - digit_bits + 1);
        BucketEvaluator const by_digit(digit_function(shift, digit_bits), bits);
        for (int i = 0; i < 50; ++i) {
            std::uint64_t const image = any_image(bits);
            std::uint64_t const expected =
                image < delta.origin.low
                    ? 0
                    : std::min<std::uint64_t>((image - delta.origin.low) / delta.width.low,
                                              function.buckets - 1);
            RC_ASSERT(by_delta.bucket_of(image, 0) == expected);
            RC_ASSERT(by_digit.bucket_of(image, 0) ==
                      ((image >> shift) & ((1U << digit_bits) - 1)));
        }
    }));
}

TEST(BucketRuleProperties, EdgesOfALeadingDigitSayWhatItsShiftSays) {
    EXPECT_TRUE(rc::check([] {
        int const bits = *rc::gen::element(6, 32, 64);
        int const digit_bits = *rc::gen::inRange(1, 6);
        auto const function = digit_function(bits - digit_bits, digit_bits);
        auto const edges = lower_edges(function, bits).value();
        BucketEvaluator const evaluator(function, bits);
        uint128 const image = any_image(bits);
        RC_ASSERT(
            evaluator.bucket_of(image, 0) ==
            static_cast<std::uint32_t>(std::ranges::upper_bound(edges, image) - edges.begin()));
    }));
}

TEST(BucketRuleProperties, BucketsOfMonotoneFunctionsAscendWithTheKey) {
    EXPECT_TRUE(rc::check([] {
        auto const function = splitter_function(any_splitters(64));
        BucketEvaluator const evaluator(function, 64);
        std::uint64_t const a = any_image(64);
        std::uint64_t const b = any_image(64);
        RC_ASSERT(
            (evaluator.bucket_of(std::min(a, b), 0) <= evaluator.bucket_of(std::max(a, b), 0)));
        RC_ASSERT(evaluator.bucket_of(std::max(a, b), 0) < function.buckets);
    }));
}

} // namespace
} // namespace keyswap::model
