/// \file Exhaustive small worlds: RMG sort and sample sort by the kernels' drivers on emulated
/// kernels. Each input is sorted with a trace, which the model verifies, and without one; both
/// outputs must be correct. See choices.hpp.

#include "proptests/live/live_sort.hpp"
#include "proptests/worlds/choices.hpp"
#include "proptests/worlds/small_inputs.hpp"
#include "proptests/worlds/world_table.hpp"

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {
namespace {

/// Options of a sorter, except for the variant.
LiveCase draw_environment(Choices& choices) {
    LiveCase live_case;
    model::SortConfig& config = live_case.config;
    auto const gpus = static_cast<std::uint32_t>(1 + choices.below(4));
    live_case.devices.assign(gpus, 0);
    config.gpu_count = gpus;
    config.tolerance_ppm = choices.of(small_tolerances(gpus));
    live_case.on_devices = choices.of({false, true});
    return live_case;
}

/// Sorts all inputs of a shape on one sorter. \returns their number
std::uint64_t expect_right(LiveCase live_case, DigitShape const& shape) {
    auto sorter = make_sorter(live_case, small_keys_max);
    EXPECT_TRUE(sorter.has_value()) << sorter.error().message;
    std::uint64_t visited = 0;
    Choices inputs;
    while (sorter && inputs.next()) {
        auto images = small_input(inputs, shape);
        if (!images) {
            continue;
        }
        ++visited;
        live_case.images = std::move(*images);
        live_case.config.key_count = live_case.images.size();
        if (auto const problem = check_with(*sorter, live_case)) {
            ADD_FAILURE() << *problem << '\n' << to_text(live_case);
            break;
        }
    }
    return visited;
}

/// Thresholds that make `fast` use every method even for so few keys.
kernels::FastTuning of_few_keys() {
    return {.counting_min = 0, .digits_min = 0, .rounds_min = 0, .fill_min = 0, .leaf_max = {}};
}

class RmgWorlds : public testing::TestWithParam<std::string> {};

TEST_P(RmgWorlds, AreSortedOnStandIns) {
    WorldTable table("stand-ins");
    Choices choices;
    while (choices.next()) {
        LiveCase live_case = draw_environment(choices);
        live_case.variant = GetParam();
        // Four digits of 8 bits, or five digits with a last one of 4 bits.
        bool const is_simplest = live_case.variant == "paper" && !live_case.on_devices;
        live_case.config.digit_bits = is_simplest ? choices.of({8, 7}) : 8;
        // Without values `fast` counts, and writes runs of equal keys directly to the output.
        bool const has_values = live_case.variant != "fast" || choices.of({true, false});
        live_case.config.value_type = has_values ? ValueType::bits32 : ValueType::none;
        live_case.config.stability = has_values ? Stability::stable : Stability::unstable;
        live_case.tuning = has_values ? kernels::FastTuning{} : of_few_keys();
        auto const visited = expect_right(live_case, outer_digits(live_case.config.digit_bits));
        table.add("rmg-" + live_case.variant + " on " + std::to_string(live_case.devices.size()),
                  visited);
    }
}

INSTANTIATE_TEST_SUITE_P(Variants,
                         RmgWorlds,
                         testing::Values("paper", "rotated", "fast"),
                         [](auto const& variant) { return variant.param; });

TEST(SampleSortWorlds, AreSortedOnStandIns) {
    WorldTable table("stand-ins");
    Choices choices;
    while (choices.next()) {
        LiveCase live_case = draw_environment(choices);
        live_case.algorithm = "sample-sort";
        live_case.variant = choices.of({"fast", "paper"});
        bool const has_values = choices.of({true, false});
        live_case.config.value_type = has_values ? ValueType::bits32 : ValueType::none;
        live_case.config.parameters["ways"] = choices.of({2U, 256U});
        live_case.tuning = has_values ? kernels::FastTuning{} : of_few_keys();
        auto const visited = expect_right(live_case, one_digit());
        table.add("sample-sort-" + live_case.variant + " on " +
                      std::to_string(live_case.devices.size()),
                  visited);
    }
}

} // namespace
} // namespace keyswap::proptests
