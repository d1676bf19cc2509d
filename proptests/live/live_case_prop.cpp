/// \file The parts of live conformance that need no GPU: generation, text, shrinking and comparison
/// of cases, with the reference model instead of a real sort.

#include "kernels/sort.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "proptests/live/live_case.hpp"
#include "proptests/live/live_reference.hpp"
#include "proptests/properties/model_check.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace keyswap::proptests {
namespace {

constexpr LiveLimits of_multisplits{400, 1, 1, nullptr, Operation::multisplit};

void expect_survives(LiveCase const& live_case) {
    std::string const text = to_text(live_case);
    auto const again = parse_live_case(text, "case");
    if (!again) {
        RC_FAIL(again.error().message() + ": " + text);
    }
    if (*again != live_case) {
        RC_FAIL(text + " became " + to_text(*again));
    }
}

TEST(LiveCases, SurviveTheirText) {
    EXPECT_TRUE(rc::check("a case survives its text", [] {
        expect_survives(*any_live_case({200, 6, 3, kernels::runs_on_gpus}));
        expect_survives(*any_live_case(of_multisplits));
    }));
}

/// Cases drawn per run of a property: enough that required coverage does not depend on the seed.
constexpr int cases_of_a_run = 10;

TEST(LiveCases, OfMultisplitsAreValidAndOfEveryRuleAndMethod) {
    std::set<std::size_t> rules;
    std::set<std::string> methods;
    EXPECT_TRUE(rc::check("a multisplit is valid", [&] {
        for (int i = 0; i < cases_of_a_run; ++i) {
            LiveCase const live_case = *any_live_case(of_multisplits);
            int const bits = key_bits(live_case.config.key_type);
            RC_ASSERT(model::validated(live_case.split->function, bits).has_value());
            RC_ASSERT(!live_case.on_devices);
            RC_ASSERT(std::ranges::all_of(live_case.images, [bits](std::uint64_t image) {
                return bits == 64 || image >> 32 == 0;
            }));
            rules.insert(live_case.split->function.rule.index());
            methods.insert(live_case.split->method);
        }
    }));
    EXPECT_EQ(rules.size(), std::variant_size_v<BucketRule> - 1) << "all but a user's own";
    EXPECT_GE(methods.size(), 8U);
}

TEST(LiveCases, OfMultisplitsByTheReferenceAgreeWithTheModel) {
    EXPECT_TRUE(rc::check("the reference in the place of a real multisplit", [] {
        LiveCase const live_case = *any_live_case(of_multisplits);
        LiveOutcome outcome = run_by_reference(live_case);
        if (auto const problem = check_outcome(live_case, outcome)) {
            RC_FAIL(*problem);
        }
        if (!outcome.output_images.empty()) {
            outcome
                .output_images[*rc::gen::inRange<std::size_t>(0, outcome.output_images.size())] +=
                1;
            RC_ASSERT(check_outcome(live_case, outcome).has_value());
        }
    }));
}

TEST(LiveCases, AreValidAndOfManyKinds) {
    std::set<std::string> algorithms;
    std::set<std::string> in_place;
    std::set<std::string> by_ranks;
    std::set<std::string> variants;
    std::set<KeyType> types;
    int delayed = 0;
    bool any_large = false;
    EXPECT_TRUE(rc::check("a case can be planned", [&] {
        for (int i = 0; i < cases_of_a_run; ++i) {
            LiveCase const live_case = *any_live_case({1'000, 16, 4, kernels::runs_on_gpus});
            RC_ASSERT(model::validated(live_case.config).has_value());
            RC_ASSERT(live_case.config.key_count == live_case.images.size());
            RC_ASSERT(live_case.config.gpu_count == live_case.devices.size());
            algorithms.insert(live_case.algorithm);
            if (live_case.on_devices) {
                in_place.insert(live_case.algorithm);
            }
            if (live_case.by_ranks) {
                by_ranks.insert(live_case.algorithm);
            }
            variants.insert(live_case.variant);
            types.insert(live_case.config.key_type);
            delayed += live_case.delay_seed ? 1 : 0;
            any_large = any_large || live_case.images.size() > 300;
        }
    }));
    auto const count_of = [](auto const& wanted) {
        return std::ranges::count_if(model::algorithms(), [&](auto const* algorithm) {
            AlgorithmInfo const& info = algorithm->info();
            return kernels::runs_on_gpus(info, KeyType::u32) && wanted(info.residences);
        });
    };
    EXPECT_EQ(std::ssize(algorithms), count_of([](auto const& /*residences*/) { return true; }));
    EXPECT_EQ(std::ssize(in_place), count_of([](auto const& residences) {
                  return std::ranges::find(residences, Residence::devices) != residences.end();
              }));
    EXPECT_EQ(by_ranks, (std::set<std::string>{"rmg", "sample-sort"}));
    EXPECT_NEAR(delayed, 50 * cases_of_a_run, 15 * cases_of_a_run);
    EXPECT_EQ(variants.size(), 4U) << "fast, rotated, paper and published";
    for (KeyType const type : narrow_key_types) {
        EXPECT_TRUE(types.contains(type)) << to_string(type);
    }
    EXPECT_TRUE(any_large);
}

/// A LiveLimits::has_sort that accepts only sample sort, with any key type.
bool is_sample_sort(AlgorithmInfo const& algorithm, KeyType /*type*/) {
    return algorithm.name == "sample-sort";
}

TEST(LiveCases, OfKeysOf128BitsKeepTheOrderOfTheirImages) {
    std::set<KeyType> types;
    EXPECT_TRUE(rc::check("wide keys are made of images, and images of them", [&] {
        LiveCase const live_case = *any_live_case({200, 4, 1, is_sample_sort});
        types.insert(live_case.config.key_type);
        if (key_bits(live_case.config.key_type) <= 64) {
            return;
        }
        std::vector<model::uint128> words = words_of<model::uint128>(live_case);
        RC_ASSERT(images_of(live_case, words) == live_case.images);
        std::vector<std::uint64_t> images = live_case.images;
        std::ranges::sort(images);
        std::ranges::sort(words);
        RC_ASSERT(images_of(live_case, words) == images);
        LiveOutcome const outcome = run_by_reference(live_case);
        if (auto const problem = check_outcome(live_case, outcome)) {
            RC_FAIL(*problem);
        }
        // A hash bit that depends on the image reveals a lost half.
        if (live_case.wide_shift > 0 && !words.empty()) {
            words.front() ^= 1;
            RC_ASSERT(images_of(live_case, words) == std::nullopt);
        }
    }));
    EXPECT_EQ(types.size(), every_key_type.size());
}

TEST(LiveCases, OfTheReferenceAgreeWithTheModel) {
    EXPECT_TRUE(rc::check("the reference in the place of a real sort", [] {
        LiveCase const live_case = *any_live_case({400, 8, 2, kernels::runs_on_gpus});
        auto const problem = check_outcome(live_case, run_by_reference(live_case));
        if (problem) {
            RC_FAIL(*problem);
        }
    }));
}

/// Faults of a real sort, planted in the outcome of the reference.
TEST(LiveCases, AWrongOutputOrValueIsFound) {
    EXPECT_TRUE(rc::check("a wrong output is found", [] {
        LiveCase const live_case = *any_live_case({400, 8, 2, kernels::runs_on_gpus});
        LiveOutcome outcome = run_by_reference(live_case);
        if (outcome.output_images.empty()) {
            return;
        }
        bool const values = live_case.config.value_type != ValueType::none;
        auto& words = values ? outcome.output_values : outcome.output_images;
        words[*rc::gen::inRange<std::size_t>(0, words.size())] += 1;
        RC_ASSERT(check_outcome(live_case, outcome).has_value());
    }));
}

/// P2P merge sort may reorder equal keys, but their values must belong to equal keys.
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

/// A failing case of many keys on eight GPUs, to be shrunk.
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

TEST(LiveShrinking, EndsAtStandardParametersWithoutDelays) {
    LiveCase live_case = large_case();
    live_case.algorithm = "network-merge";
    live_case.variant = "fast";
    live_case.devices = {0};
    live_case.config.gpu_count = 1;
    live_case.on_devices = true;
    live_case.by_ranks = true;
    live_case.delay_seed = 5;
    AlgorithmInfo const& info = **find_algorithm_info(live_case.algorithm);
    ParameterInfo const& run_keys = *find_parameter(info, "run-keys");
    set_value(live_case.config, run_keys, 7);
    LiveCheck const has_two_keys = [](LiveCase const& c) {
        return c.images.size() > 1 ? std::optional<std::string>("fails") : std::nullopt;
    };
    LiveCase const small = shrink_case(live_case, has_two_keys, 2'000);
    EXPECT_EQ(value_of(small.config, run_keys), run_keys.default_value);
    EXPECT_FALSE(small.delay_seed.has_value());
    EXPECT_FALSE(small.on_devices);
    EXPECT_FALSE(small.by_ranks);
    EXPECT_EQ(small.images.size(), 2U);
}

/// A multisplit of many keys by many splitters, to be shrunk.
LiveCase large_split() {
    LiveCase live_case = large_case();
    live_case.devices = {0};
    live_case.config.gpu_count = 1;
    live_case.split = LiveSplit{{}, "block", 4'096};
    SplitterBuckets splitters;
    for (std::uint64_t i = 1; i < 100; ++i) {
        splitters.splitters.push_back({0, i << 56});
        splitters.equality.push_back(i % 3 == 0);
    }
    live_case.split->function = model::splitter_function(std::move(splitters));
    return live_case;
}

/// Faults of a multisplit; shrinking must reduce keys, buckets and rule together.
TEST(LiveShrinking, OfAMultisplitEndsAtFewKeysOfADigit) {
    LiveCheck const last_two_exchanged = [](LiveCase const& live_case) {
        LiveOutcome outcome = run_by_reference(live_case);
        auto& images = outcome.output_images;
        if (images.size() >= 2) {
            std::swap(images.front(), images.back());
        }
        return check_outcome(live_case, outcome);
    };
    ASSERT_TRUE(last_two_exchanged(large_split()).has_value());
    LiveCase const small = shrink_case(large_split(), last_two_exchanged, 2'000);
    EXPECT_TRUE(last_two_exchanged(small).has_value());
    EXPECT_LE(small.images.size(), 4U) << to_text(small);
    EXPECT_LE(small.split->function.buckets, 2U) << to_text(small);
    EXPECT_TRUE(std::holds_alternative<DigitBuckets>(small.split->function.rule)) << to_text(small);
    EXPECT_EQ(small.split->slice_count, 0U);
}

/// Shrinking a fault that needs equality buckets must not change the rule.
TEST(LiveShrinking, OfAMultisplitKeepsTheRuleThatTheFaultNeeds) {
    LiveCheck const equality_forgotten = [](LiveCase const& live_case) {
        auto const* const rule = std::get_if<SplitterBuckets>(&live_case.split->function.rule);
        bool const shows =
            rule != nullptr && std::ranges::any_of(live_case.images, [&](auto image) {
                auto const found = std::ranges::find(rule->splitters, KeyImage{0, image});
                return found != rule->splitters.end() &&
                       rule->equality[static_cast<std::size_t>(found - rule->splitters.begin())];
            });
        return shows ? std::optional<std::string>("a key lies in another bucket") : std::nullopt;
    };
    LiveCase live_case = large_split();
    live_case.images.push_back(std::uint64_t{33} << 56);
    live_case.config.key_count = live_case.images.size();
    LiveCase const small = shrink_case(live_case, equality_forgotten, 2'000);
    EXPECT_EQ(small.images.size(), 1U) << to_text(small);
    EXPECT_EQ(small.split->function.buckets, 3U) << to_text(small);
}

} // namespace
} // namespace keyswap::proptests
