/// \file The properties of RMG sort find faults that a planner could have.

#include "model/sorts/rmg/plan.hpp"
#include "proptests/properties/case_generators.hpp"
#include "proptests/properties/model_check.hpp"
#include "proptests/properties/saved_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <unistd.h>

namespace keyswap::proptests {
namespace {

/// A possible fault of a planner.
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
    auto const digit = std::ranges::find_if(counts, [](std::uint64_t n) { return n > 0; });
    if (digit != counts.end()) {
        *digit -= 1;
        *(std::next(digit) != counts.end() ? std::next(digit) : std::prev(digit)) += 1;
        histogram.assign_row(GpuId{0}, histogram.add_row(counts));
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

    // The saved case is tried first and finds the fault again; without the fault it passes.
    auto const again = check_saved({folder}, with_fault);
    EXPECT_FALSE(again.holds);
    EXPECT_EQ(again.saved, outcome.saved);
    EXPECT_TRUE(check_saved({folder}, [](SortCase const& c) { return check_rmg(c); }).holds);
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

} // namespace
} // namespace keyswap::proptests
