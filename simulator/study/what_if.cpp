#include "simulator/study/what_if.hpp"

#include "model/keys/parallel.hpp"
#include "simulator/calibration/certainty.hpp"
#include "simulator/prediction/prediction.hpp"
#include "simulator/study/gpu_sets.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

namespace keyswap::simulator {

namespace {

/// Decodes a combination's index, whose last list varies fastest.
class Odometer {
  public:
    explicit Odometer(std::size_t index) : rest_(index) {}

    template <class T>
    T const& pick(std::vector<T> const& list) {
        std::size_t const place = rest_ % list.size();
        rest_ /= list.size();
        return list[place];
    }

  private:
    std::size_t rest_;
};

/// Product of the lists' sizes; nullopt if it is 0 or above what_if_rows_max.
std::optional<std::size_t> combinations(WhatIfSweep const& sweep) {
    std::size_t product = 1;
    for (std::size_t const size : {sweep.algorithms.size(),
                                   sweep.key_counts.size(),
                                   sweep.key_types.size(),
                                   sweep.distributions.size(),
                                   sweep.digit_bits.size(),
                                   sweep.tolerances_ppm.size(),
                                   sweep.fuses_ppm.size(),
                                   sweep.link_changes.size(),
                                   sweep.inputs.size(),
                                   sweep.gpu_memories.size(),
                                   sweep.swaps.size(),
                                   sweep.gpu_sets.size()}) {
        if (size == 0 || product > what_if_rows_max / size) {
            return std::nullopt;
        }
        product *= size;
    }
    return product;
}

/// Default tolerance of a sort by its full name; the field's default if it has no tolerance.
std::uint32_t default_tolerance(std::string const& algorithm) {
    auto const choice = parse_full_name(algorithm);
    auto const* const parameter =
        choice ? find_parameter(*choice->algorithm, "tolerance-ppm") : nullptr;
    return parameter == nullptr ? SortParameters{}.tolerance_ppm
                                : static_cast<std::uint32_t>(parameter->default_value);
}

WhatIfRow row_of(WhatIfSweep const& sweep, std::size_t index, std::size_t& change) {
    Odometer odometer(index);
    WhatIfRow row;
    SimulationRequest& request = row.request;
    request.gpus = odometer.pick(sweep.gpu_sets);
    request.swap = odometer.pick(sweep.swaps);
    request.gpu_memory_bytes = odometer.pick(sweep.gpu_memories);
    request.input = odometer.pick(sweep.inputs);
    auto const& picked = odometer.pick(sweep.link_changes);
    row.link_changes = picked.text;
    change = static_cast<std::size_t>(&picked - sweep.link_changes.data());
    request.config.fuse_ppm = odometer.pick(sweep.fuses_ppm);
    auto const tolerance_ppm = odometer.pick(sweep.tolerances_ppm);
    request.config.digit_bits = odometer.pick(sweep.digit_bits);
    model::NamedDistribution const& distribution = odometer.pick(sweep.distributions);
    request.distribution = distribution.name;
    request.parameter = distribution.parameter;
    request.config.key_type = odometer.pick(sweep.key_types);
    request.config.key_count = odometer.pick(sweep.key_counts);
    request.algorithm = odometer.pick(sweep.algorithms);
    request.config.tolerance_ppm = tolerance_ppm.value_or(default_tolerance(request.algorithm));
    request.config.value_type = sweep.value_type;
    request.output = sweep.output;
    request.layout = sweep.layout;
    request.seed = sweep.seed;
    return row;
}

/// Total time of a number of keys, or why it cannot be predicted.
Expected<double> total_ms_of(Contender const& contender, std::uint64_t key_count) {
    SimulationRequest request = contender.request;
    request.config.key_count = key_count;
    return simulate(*contender.machine, std::move(request)).map([](Simulation const& simulation) {
        return to_milliseconds(simulation.timeline.makespan);
    });
}

constexpr std::uint64_t fewest_keys = 1000; ///< smaller sizes are dominated by launches

} // namespace

Expected<std::vector<WhatIfRow>> run_what_if(Machine const& machine, WhatIfSweep const& sweep) {
    auto const count = combinations(sweep);
    if (!count) {
        return input_error("whatif",
                           "a list is empty, or the lists combine to more than " +
                               std::to_string(what_if_rows_max) + " simulations",
                           "give shorter lists");
    }
    std::vector<Machine> machines;
    for (auto const& change : sweep.link_changes) {
        KEYSWAP_TRY(auto changed, with_link_changes(machine, change));
        machines.push_back(std::move(changed));
    }
    std::vector<WhatIfRow> rows(*count);
    model::parallel_for(rows.size(), [&](std::size_t index) {
        std::size_t change = 0;
        WhatIfRow row = row_of(sweep, index, change);
        row.platform = machine.platform.name;
        KeyPlaces const places = key_places(machine.platform, row.request);
        row.request.input = places.input;
        row.request.output = places.output;
        std::erase_if(row.request.gpus, [&](std::uint32_t gpu) {
            return gpu < machine.platform.gpus.size() &&
                   !has_links(machines[change].platform, gpu) && has_links(machine.platform, gpu);
        });
        if (auto const simulation = simulate(machines[change], row.request)) {
            PhaseTimes const times = phase_times(*simulation);
            row.request.gpus = simulation->request.gpus; // empty for CPU sorts
            row.swap_taken = *simulation->request.swap;
            row.total_ms = times.total_ms;
            row.tasks = simulation->schedule.graph.tasks.size();
            CertaintyOptions estimated;
            estimated.simulated_max = 0;
            if (auto const certainty = certainty_of(machines[change], *simulation, estimated)) {
                row.low_ms = certainty->low_ms;
                row.high_ms = certainty->high_ms;
            }
            row.key_swap_ms = times.key_swap_ms;
            row.passes = simulation->schedule.passes;
            row.memory = simulation->memory;
        } else {
            row.error = simulation.error().message();
        }
        rows[index] = std::move(row);
    });
    return rows;
}

namespace {

Expected<Certainty> certainty_of_row(Machine const& machine, WhatIfRow const& row) {
    auto const changes = row.link_changes.empty() ? Expected<LinkChanges>(LinkChanges{})
                                                  : parse_link_changes(row.link_changes);
    KEYSWAP_TRY(auto const changed, changes.and_then([&](LinkChanges const& known) {
        return with_link_changes(machine, known);
    }));
    KEYSWAP_TRY(auto const simulation, simulate(changed, row.request));
    return certainty_of(changed, simulation);
}

} // namespace

Expected<void> simulate_intervals(Machine const& machine, std::vector<WhatIfRow>& rows) {
    if (rows.size() > simulated_intervals_max) {
        return {};
    }
    std::vector<std::optional<InputError>> errors(rows.size());
    model::parallel_for(rows.size(), [&](std::size_t index) {
        WhatIfRow& row = rows[index];
        if (!row.ran() || row.tasks > CertaintyOptions{}.tasks_max) {
            return;
        }
        if (auto const certainty = certainty_of_row(machine, row)) {
            row.low_ms = certainty->low_ms;
            row.high_ms = certainty->high_ms;
        } else {
            errors[index] = certainty.error();
        }
    });
    for (auto& error : errors) {
        if (error) {
            return tl::unexpected(std::move(*error));
        }
    }
    return {};
}

std::vector<std::optional<double>> speed_ups(std::vector<WhatIfRow> const& rows) {
    std::map<std::tuple<std::uint64_t, KeyType, ValueType>, WhatIfRow const*> firsts;
    std::vector<std::optional<double>> all;
    for (WhatIfRow const& row : rows) {
        auto const& config = row.request.config;
        auto const [first, is_new] =
            firsts.emplace(std::tuple{config.key_count, config.key_type, config.value_type}, &row);
        WhatIfRow const& base = *first->second;
        bool const known = base.ran() && row.ran() && row.total_ms > 0.0;
        all.push_back(known ? std::optional(base.total_ms / row.total_ms) : std::nullopt);
    }
    return all;
}

Expected<BreakEven> break_even(Contender const& first, Contender const& second) {
    BreakEven result;
    result.tried_keys_max = ~std::uint64_t{0};
    for (Contender const* contender : {&first, &second}) {
        SimulationRequest request = contender->request;
        request.config.key_count = fewest_keys;
        KEYSWAP_TRY(auto const small, simulate(*contender->machine, std::move(request)));
        result.tried_keys_max = std::min(result.tried_keys_max, small.memory.keys_most);
    }
    auto const second_wins = [&](std::uint64_t key_count) -> Expected<bool> {
        KEYSWAP_TRY(auto const first_ms, total_ms_of(first, key_count));
        KEYSWAP_TRY(auto const second_ms, total_ms_of(second, key_count));
        return second_ms < first_ms;
    };
    // Halves the size from the largest down until the first sort wins: so the answer holds for all
    // larger sizes that were tried.
    std::uint64_t wins = 0;
    std::uint64_t loses = 0;
    for (std::uint64_t keys = result.tried_keys_max; keys >= fewest_keys; keys /= 2) {
        KEYSWAP_TRY(auto const won, second_wins(keys));
        if (!won) {
            loses = keys;
            break;
        }
        wins = keys;
    }
    result.second_can_win = wins > 0;
    while (wins > 0 && loses > 0 &&
           static_cast<double>(wins - loses) > 0.01 * static_cast<double>(wins)) {
        std::uint64_t const middle = loses + (wins - loses) / 2;
        KEYSWAP_TRY(auto const won, second_wins(middle));
        (won ? wins : loses) = middle;
    }
    result.key_count = loses > 0 ? wins : 0;
    return result;
}

} // namespace keyswap::simulator
