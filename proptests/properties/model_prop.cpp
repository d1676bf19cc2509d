/// \file The reference model's properties, and proof that they would be noticed to fail.

#include "model/sorts/rmg/plan.hpp"
#include "proptests/properties/case_generators.hpp"
#include "proptests/properties/model_check.hpp"
#include "proptests/properties/saved_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <unistd.h>

namespace keyswap::proptests {
namespace {

/// Counterexamples of earlier runs: those of the repository, then those of this machine.
std::vector<std::filesystem::path> case_folders() {
    char const* const own = std::getenv("KEYSWAP_COUNTEREXAMPLES");
    return {KEYSWAP_CASES_DIR, own != nullptr ? own : KEYSWAP_FOUND_CASES_DIR};
}

void expect_holds(PropertyOutcome const& outcome) {
    EXPECT_TRUE(outcome.holds) << outcome.problem << "\ncase: "
                               << (outcome.counterexample ? to_text(*outcome.counterexample) : "")
                               << "\nsaved: " << outcome.saved;
}

CaseCheck const rmg_is_right = [](SortCase const& sort_case) { return check_rmg(sort_case); };

TEST(RmgSort, SortsAnythingByOneSwapWithinItsBounds) {
    expect_holds(
        check_cases("RMG sort is right", case_folders(), any_sort_case(600), rmg_is_right));
}

TEST(RmgSort, SortsLowCardinalityOnManyGpus) {
    expect_holds(check_cases("RMG sort is right on few distinct keys",
                             case_folders(),
                             low_cardinality_case(2000),
                             rmg_is_right));
}

TEST(EverySort, SortsAnything) {
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        expect_holds(check_cases(
            std::string(algorithm->name) + " is right",
            case_folders(),
            any_sort_case(400),
            [&](SortCase const& sort_case) { return check_sort(*algorithm, sort_case); }));
    }
}

/// Faults that a planner could have, each with its name.
struct PlantedFault {
    std::string name;
    PlanChange change;
};

void take_one_bit_from_the_first_sorted_group(model::Plan& plan) {
    auto const group = std::ranges::find_if(
        plan.sort_groups, [](model::SortGroup const& g) { return g.end_bit > 0; });
    if (group != plan.sort_groups.end()) {
        group->end_bit -= 1;
    }
}

void move_a_bucket_to_the_next_gpu(model::Plan& plan) {
    if (plan.buckets.size() < 2 || plan.config.gpu_count < 2) {
        return;
    }
    PlacementRecord& placement = plan.buckets.front().placement;
    if (placement.state == PlacementState::placed &&
        placement.last.value + 1 < plan.config.gpu_count) {
        placement.first.value += 1;
        placement.last.value += 1;
    }
}

void give_a_key_to_the_neighbour(model::Plan& plan) {
    if (plan.ownership.size() > 1 && plan.ownership[0].count > 0) {
        plan.ownership[0].count -= 1;
        plan.ownership[1].count += 1;
        plan.ownership[1].base -= 1;
    }
}

void leave_the_last_group_out(model::Plan& plan) {
    if (!plan.sort_groups.empty()) {
        plan.sort_groups.pop_back();
    }
}

void miscount_a_digit(model::Plan& plan) {
    if (plan.passes.empty()) {
        return;
    }
    model::BucketHistogram& histogram = plan.passes.front().histograms.front();
    std::vector<std::uint64_t> counts(histogram.of(GpuId{0}).begin(), histogram.of(GpuId{0}).end());
    for (std::size_t digit = 1; digit < counts.size(); ++digit) {
        if (counts[digit] > 0 && counts[digit - 1] > 0) {
            counts[digit] -= 1;
            counts[digit - 1] += 1;
            histogram.assign_row(GpuId{0}, histogram.add_row(counts));
            return;
        }
    }
}

class PlannedFaults : public testing::TestWithParam<PlantedFault> {};

TEST_P(PlannedFaults, AreFoundShrunkAndSaved) {
    auto const folder = std::filesystem::path(testing::TempDir()) /
                        ("keyswap-planted-" + std::to_string(::getpid()));
    CaseCheck const with_fault = [&](SortCase const& sort_case) {
        return check_rmg(sort_case, GetParam().change);
    };
    auto const outcome =
        check_cases("planted " + GetParam().name, {folder}, any_sort_case(300), with_fault);
    EXPECT_FALSE(outcome.holds);
    ASSERT_TRUE(outcome.counterexample.has_value());
    EXPECT_LE(outcome.counterexample->images.size(), 8U) << to_text(*outcome.counterexample);

    // Next time it is found before anything random is tried, and without the fault it passes.
    auto const again = check_saved({folder}, with_fault);
    EXPECT_FALSE(again.holds);
    EXPECT_EQ(again.saved, outcome.saved);
    EXPECT_TRUE(check_saved({folder}, rmg_is_right).holds);
    std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(
    Planner,
    PlannedFaults,
    testing::Values(PlantedFault{"one_bit_too_few", take_one_bit_from_the_first_sorted_group},
                    PlantedFault{"bucket_on_the_wrong_gpu", move_a_bucket_to_the_next_gpu},
                    PlantedFault{"border_off_by_one", give_a_key_to_the_neighbour},
                    PlantedFault{"last_group_unsorted", leave_the_last_group_out},
                    PlantedFault{"digit_miscounted", miscount_a_digit}),
    [](auto const& fault) { return fault.param.name; });

TEST(SavedCases, SurviveTheirText) {
    EXPECT_TRUE(rc::check("a case survives its text", [] {
        SortCase const sort_case = *any_sort_case(50);
        RC_ASSERT(parse_sort_case(to_text(sort_case), "case").value() == sort_case);
    }));
}

TEST(SavedCases, AFileThatIsNoneIsRefused) {
    EXPECT_FALSE(parse_sort_case("{\"gpus\":2}", "x.case.json").has_value());
    EXPECT_FALSE(parse_sort_case("[", "x.case.json").has_value());
    std::string const good =
        R"({"type":"u32","gpus":2,"digit_bits":8,"tolerance_ppm":0,"fuse_ppm":0,"images":[1]})";
    ASSERT_TRUE(parse_sort_case(good, "x.case.json").has_value());
    using Change = std::pair<std::string, std::string>;
    for (auto const& [from, to] : {Change{"[1]", "[-1]"},
                                   Change{"[1]", "[1.5]"},
                                   Change{"[1]", "[4294967296]"},
                                   Change{"[1]", "1"},
                                   Change{"\"u32\"", "32"},
                                   Change{"\"u32\"", "\"u33\""},
                                   Change{"\"gpus\":2", "\"gpus\":4294967298"},
                                   Change{"\"digit_bits\":8", "\"digit_bits\":77"}}) {
        std::string text = good;
        text.replace(text.find(from), from.size(), to);
        auto const refused = parse_sort_case(text, "x.case.json");
        ASSERT_FALSE(refused.has_value()) << to;
        EXPECT_EQ(refused.error().subject, "x.case.json");
        EXPECT_EQ(refused.error().problem.find("json.exception"), std::string::npos);
    }
}

} // namespace
} // namespace keyswap::proptests
