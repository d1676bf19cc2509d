/// \file Exhaustive small worlds: every sort of the model, planned, replayed with a trace, and
/// verified; the output must be the only correct one. See choices.hpp.

#include "model/sorts/algorithm.hpp"
#include "proptests/live/live_reference.hpp"
#include "proptests/worlds/small_inputs.hpp"
#include "proptests/worlds/world_table.hpp"
#include "traces/catalog/parameters.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::proptests {
namespace {

/// Sorts whose passes read digits.
bool reads_digits(AlgorithmInfo const& sort) {
    return find_parameter(sort, "digit-bits") != nullptr;
}

/// Parameter values that matter for so few keys: for parameters that count keys or buckets, minimum
/// and default.
void draw_parameters(Choices& choices, AlgorithmInfo const& sort, LiveCase& live_case) {
    for (ParameterInfo const& parameter : sort.parameters) {
        if (parameter.name == "tolerance-ppm") {
            live_case.config.tolerance_ppm =
                choices.of(small_tolerances(live_case.config.gpu_count));
        } else if (parameter.name == "digit-bits") {
            set_value(live_case.config, parameter, std::min<std::uint64_t>(8, parameter.most));
        } else if (parameter.name == "fuse-ppm") {
            live_case.config.fuse_ppm =
                reads_digits(sort) ? 10'000U : choices.of({10'000U, 1'000'000U});
        } else if (parameter.least < parameter.default_value) {
            set_value(live_case.config,
                      parameter,
                      choices.of({parameter.least, parameter.default_value}));
        }
    }
}

/// nullopt if the sort does not support this number of GPUs.
std::optional<LiveCase> draw_case(Choices& choices, AlgorithmInfo const& sort) {
    LiveCase live_case;
    live_case.algorithm = sort.name;
    live_case.variant = sort.variants.front().name;
    auto const gpus = static_cast<std::uint32_t>(1 + choices.below(4));
    if (!takes_gpus(sort.gpus, gpus)) {
        return std::nullopt;
    }
    live_case.devices.assign(gpus, 0);
    live_case.config.gpu_count = gpus;
    live_case.config.stability = sort.stability;
    draw_parameters(choices, sort, live_case);
    // Values reveal the order of equal keys; plans do not depend on them.
    live_case.config.value_type = ValueType::bits32;
    return live_case;
}

std::uint64_t expect_right(LiveCase& live_case, DigitShape const& shape) {
    std::uint64_t visited = 0;
    Choices inputs;
    while (inputs.next()) {
        auto images = small_input(inputs, shape);
        if (!images) {
            continue;
        }
        live_case.images = std::move(*images);
        live_case.config.key_count = live_case.images.size();
        if (!can_be_planned(live_case)) {
            continue; // sample sort: equal keys use up all passes
        }
        ++visited;
        if (auto const problem = check_outcome(live_case, run_by_reference(live_case))) {
            ADD_FAILURE() << *problem << '\n' << to_text(live_case);
            break;
        }
    }
    return visited;
}

std::vector<std::string> sort_names() {
    std::vector<std::string> names;
    for (model::Algorithm const* const algorithm : model::algorithms()) {
        if (algorithm->info().operation == Operation::sort) {
            names.emplace_back(algorithm->name);
        }
    }
    return names;
}

class ModelWorlds : public testing::TestWithParam<std::string> {};

TEST_P(ModelWorlds, AreSortedAsTheyArePlanned) {
    AlgorithmInfo const& sort = **find_algorithm_info(GetParam());
    WorldTable table("model");
    Choices choices;
    while (choices.next()) {
        if (auto live_case = draw_case(choices, sort)) {
            DigitShape const shape = reads_digits(sort) ? outer_digits(8) : one_digit();
            std::uint64_t const visited = expect_right(*live_case, shape);
            table.add(GetParam() + " on " + std::to_string(live_case->devices.size()), visited);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Sorts, ModelWorlds, testing::ValuesIn(sort_names()), [](auto const& sort) {
    std::string name = sort.param;
    std::ranges::replace(name, '-', '_');
    return name;
});

} // namespace
} // namespace keyswap::proptests
