/// \file The parts of live conformance that need no GPU: generated cases, their text, shrinking,
/// and the comparison, with the reference in the place of a real sort.

#include "kernels/sort.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "proptests/live/live_case.hpp"
#include "proptests/live/live_reference.hpp"
#include "proptests/properties/model_check.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace keyswap::proptests {
namespace {

TEST(LiveCases, SurviveTheirText) {
    EXPECT_TRUE(rc::check("a case survives its text", [] {
        LiveCase const live_case = *any_live_case({200, 6, 3, kernels::runs_on_gpus});
        RC_ASSERT(parse_live_case(to_text(live_case), "case").value() == live_case);
    }));
}

TEST(LiveCases, AreValidAndOfManyKinds) {
    std::set<std::string> algorithms;
    std::set<std::string> variants;
    std::set<KeyType> types;
    bool any_large = false;
    EXPECT_TRUE(rc::check("a case can be planned", [&] {
        LiveCase const live_case = *any_live_case({1'000, 16, 4, kernels::runs_on_gpus});
        RC_ASSERT(model::validated(live_case.config).has_value());
        RC_ASSERT(live_case.config.key_count == live_case.images.size());
        RC_ASSERT(live_case.config.gpu_count == live_case.devices.size());
        algorithms.insert(live_case.algorithm);
        variants.insert(live_case.variant);
        types.insert(live_case.config.key_type);
        any_large = any_large || live_case.images.size() > 300;
    }));
    auto const expected = std::ranges::count_if(model::algorithms(), [](auto const* algorithm) {
        return kernels::runs_on_gpus(algorithm->info());
    });
    EXPECT_EQ(std::ssize(algorithms), expected);
    EXPECT_EQ(variants.size(), 4U) << "fast, rotated, paper and published";
    EXPECT_EQ(types.size(), 6U);
    EXPECT_TRUE(any_large);
}

TEST(LiveCases, OfTheReferenceAgreeWithTheModel) {
    EXPECT_TRUE(rc::check("the reference in the place of a real sort", [] {
        LiveCase const live_case = *any_live_case({400, 8, 2, kernels::runs_on_gpus});
        auto const problem = check_outcome(live_case, sort_by_reference(live_case));
        if (problem) {
            RC_FAIL(*problem);
        }
    }));
}

/// Faults of a real sort, planted into the reference's outcome.
TEST(LiveCases, AWrongOutputOrValueIsFound) {
    EXPECT_TRUE(rc::check("a wrong output is found", [] {
        LiveCase const live_case = *any_live_case({400, 8, 2, kernels::runs_on_gpus});
        LiveOutcome outcome = sort_by_reference(live_case);
        if (outcome.output_images.empty()) {
            return;
        }
        bool const values = live_case.config.value_type != ValueType::none;
        auto& words = values ? outcome.output_values : outcome.output_images;
        words[*rc::gen::inRange<std::size_t>(0, words.size())] += 1;
        RC_ASSERT(check_outcome(live_case, outcome).has_value());
    }));
}

/// Equal keys may change places in P2P merge sort, but their values must be those of equal keys.
TEST(LiveCases, AnUnstableSortMayExchangeValuesOfEqualKeysOnly) {
    LiveCase live_case;
    live_case.algorithm = "p2p-merge";
    live_case.devices = {0};
    live_case.images = {7, 7, 9};
    live_case.config.key_count = 3;
    live_case.config.value_type = ValueType::bits32;
    EXPECT_EQ(check_output(live_case, {7, 7, 9}, {0, 1, 2}), std::nullopt);
    EXPECT_EQ(check_output(live_case, {7, 7, 9}, {1, 0, 2}), std::nullopt);
    EXPECT_NE(check_output(live_case, {7, 7, 9}, {0, 2, 1}), std::nullopt);
    EXPECT_NE(check_output(live_case, {7, 7, 9}, {0, 0, 2}), std::nullopt);
    EXPECT_NE(check_output(live_case, {7, 7, 9}, {0, 1, 3}), std::nullopt);
    EXPECT_NE(check_output(live_case, {7, 7, 9}, {0, 1}), std::nullopt);
    live_case.algorithm = "het-merge";
    EXPECT_NE(check_output(live_case, {7, 7, 9}, {1, 0, 2}), std::nullopt);
}

void take_one_bit(model::Plan& plan) {
    for (model::SortGroup& group : plan.sort_groups) {
        group.end_bit = std::max(0, group.end_bit - 1);
    }
}

void move_first_bucket(model::Plan& plan) {
    if (plan.config.gpu_count > 1 && !plan.buckets.empty()) {
        PlacementRecord& placement = plan.buckets.front().placement;
        bool const movable = placement.state == PlacementState::placed &&
                             placement.last.value + 1 < plan.config.gpu_count;
        placement.first.value += movable ? 1 : 0;
        placement.last.value += movable ? 1 : 0;
    }
}

/// A failing case of many keys on eight GPUs.
LiveCase large_case() {
    LiveCase live_case;
    live_case.config.gpu_count = 8;
    live_case.config.key_type = KeyType::u64;
    live_case.config.value_type = ValueType::bits32;
    live_case.devices.assign(8, 0);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        live_case.images.push_back(mix_bits(i));
    }
    live_case.config.key_count = live_case.images.size();
    return live_case;
}

TEST(LiveShrinking, EndsAtAFewKeysAndTheFewestGpus) {
    for (auto const& change : {take_one_bit, move_first_bucket}) {
        LiveCheck const check = [&change](LiveCase const& live_case) {
            return check_rmg({live_case.config, live_case.images}, change);
        };
        ASSERT_TRUE(check(large_case()).has_value());
        LiveCase const small = shrink_case(large_case(), check, 2'000);
        EXPECT_TRUE(check(small).has_value());
        EXPECT_LE(small.images.size(), 4U) << to_text(small);
        EXPECT_LE(small.devices.size(), 2U) << to_text(small);
        EXPECT_EQ(small.config.key_type, KeyType::u32) << to_text(small);
        EXPECT_EQ(small.config.value_type, ValueType::none) << to_text(small);
    }
}

} // namespace
} // namespace keyswap::proptests
