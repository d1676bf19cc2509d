#pragma once

/// \file Sweeps: simulations of all combinations of varied parameters, in a fixed order.

#include "model/distributions/distribution.hpp"
#include "simulator/prediction/simulation.hpp"
#include "simulator/study/link_change.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Lists to vary; each needs at least one entry. The last list varies fastest.
struct WhatIfSweep {
    std::vector<std::string> algorithms{"rmg-paper"};
    std::vector<std::uint64_t> key_counts{2'000'000'000};
    std::vector<KeyType> key_types{KeyType::u32};
    std::vector<model::NamedDistribution> distributions{{}};
    std::vector<int> digit_bits{8};
    std::vector<std::optional<std::uint32_t>> tolerances_ppm{std::nullopt}; ///< nullopt: default
    std::vector<std::uint32_t> fuses_ppm{10000};
    std::vector<LinkChanges> link_changes{{}};
    std::vector<std::optional<KeyPlace>> inputs{std::nullopt};            ///< nullopt: by `layout`
    std::vector<std::optional<std::uint64_t>> gpu_memories{std::nullopt}; ///< bytes; nullopt: all
    std::vector<std::optional<SwapOrder>> swaps{SwapOrder::flat}; ///< nullopt: the faster one
    std::vector<std::vector<std::uint32_t>> gpu_sets;
    std::optional<KeyPlace> output; ///< nullopt: same as the input
    KeyLayout layout = KeyLayout::published;
    ValueType value_type = ValueType::none;
    std::uint64_t seed = 1;
};

/// Result of one combination.
struct WhatIfRow {
    std::string platform;
    SimulationRequest request;              ///< with resolved places
    std::string link_changes;               ///< as requested; empty = none
    std::uint64_t equivalent_sets = 1;      ///< number of GPU sets that this one represents
    SwapOrder swap_taken = SwapOrder::flat; ///< the requested one, or the faster one
    double total_ms = 0.0;
    double low_ms = 0.0; ///< of the interval; estimated until simulate_intervals()
    double high_ms = 0.0;
    std::size_t tasks = 0; ///< of the graph; large ones get no simulated interval
    double key_swap_ms = 0.0;
    int passes = 0;
    MemoryFit memory;
    std::string error; ///< why this combination cannot run; empty if it ran

    [[nodiscard]] bool ran() const { return error.empty(); }
};

/// Most combinations in one sweep.
inline constexpr std::size_t what_if_rows_max = 1'000'000;

/// Simulates every combination, on all cores. The order of rows is that of the sweep, for any
/// number of threads. Combinations that cannot run have an error in their row.
/// \return an error if there are too many combinations or a link change matches no link
[[nodiscard]] Expected<std::vector<WhatIfRow>> run_what_if(Machine const& machine,
                                                           WhatIfSweep const& sweep);

/// Most rows for which intervals are simulated; with more they are only estimated, cheaply.
inline constexpr std::size_t simulated_intervals_max = 64;

/// Simulates the intervals of a machine's rows, unless there are too many rows or tasks.
/// \return an error if a row cannot be simulated again
[[nodiscard]] Expected<void> simulate_intervals(Machine const& machine,
                                                std::vector<WhatIfRow>& rows);

/// Speed-up of each row over the first row with the same number of keys and types: base time / row
/// time. nullopt if either did not run.
[[nodiscard]] std::vector<std::optional<double>> speed_ups(std::vector<WhatIfRow> const& rows);

/// Number of keys from which on the second of two sorts is faster.
struct BreakEven {
    std::uint64_t key_count = 0;      ///< to a percent; 0 = at all tried sizes
    std::uint64_t tried_keys_max = 0; ///< largest number of keys that fits both sorts
    bool second_can_win = true;       ///< false: not up to tried_keys_max
};

/// A sort on a machine, for break_even().
struct Contender {
    Machine const* machine = nullptr; ///< never null
    SimulationRequest request;        ///< its number of keys is ignored
};

/// \return an error if one of them cannot run even fewest_keys keys
[[nodiscard]] Expected<BreakEven> break_even(Contender const& first, Contender const& second);

} // namespace keyswap::simulator
