#pragma once

/// \file Many simulations at once: every combination of what is varied, in a fixed order.

#include "simulator/study/link_change.hpp"
#include "simulator/study/simulation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// A distribution with its parameter.
struct KeyDistribution {
    std::string name = "uniform";
    std::optional<double> parameter;
};

/// What is varied; every list has at least one entry. The last varies fastest.
struct WhatIfSweep {
    std::vector<std::string> algorithms{"rmg-paper"};
    std::vector<std::uint64_t> key_counts{2'000'000'000};
    std::vector<KeyType> key_types{KeyType::u32};
    std::vector<KeyDistribution> distributions{{}};
    std::vector<int> digit_bits{8};
    std::vector<std::optional<std::uint32_t>> tolerances_ppm{std::nullopt}; ///< the sort's own
    std::vector<std::uint32_t> fuses_ppm{10000};
    std::vector<LinkChanges> link_changes{{}};
    std::vector<std::optional<KeyPlace>> inputs{std::nullopt};    ///< absent: that of `layout`
    std::vector<std::optional<SwapOrder>> swaps{SwapOrder::flat}; ///< nothing: the faster one
    std::vector<std::vector<std::uint32_t>> gpu_sets;
    std::optional<KeyPlace> output; ///< where the input lies
    KeyLayout layout = KeyLayout::published;
    ValueType value_type = ValueType::none;
    std::uint64_t seed = 1;
};

/// One answer.
struct WhatIfRow {
    std::string platform;
    SimulationRequest request;              ///< with the places that were meant
    std::string link_changes;               ///< as asked for; empty = none
    std::uint64_t equivalent_sets = 1;      ///< GPU sets that this one stands for
    SwapOrder swap_taken = SwapOrder::flat; ///< the one asked for, or the faster one
    double total_ms = 0.0;
    double low_ms = 0.0; ///< of the interval, estimated until simulate_intervals() says more
    double high_ms = 0.0;
    std::size_t tasks = 0; ///< of the graph; large ones are simulated once
    double key_swap_ms = 0.0;
    int passes = 0;
    MemoryFit memory;
    std::string error; ///< why this combination cannot run; empty where it can

    [[nodiscard]] bool ran() const { return error.empty(); }
};

/// Largest number of combinations that a sweep may have.
inline constexpr std::size_t what_if_rows_max = 1'000'000;

/// Simulates every combination, on all cores. Rows come in the order of the sweep, whatever the
/// number of threads. Combinations that cannot run have an error in their row.
/// \return an error where there are too many combinations or a link change fits no link
[[nodiscard]] Expected<std::vector<WhatIfRow>> run_what_if(Machine const& machine,
                                                           WhatIfSweep const& sweep);

/// Of more rows intervals stay estimated, which takes hardly any time.
inline constexpr std::size_t simulated_intervals_max = 64;

/// Simulates the intervals of a machine's rows: of few rows, and of graphs that are not too large.
/// \return an error where a row cannot be simulated again
[[nodiscard]] Expected<void> simulate_intervals(Machine const& machine,
                                                std::vector<WhatIfRow>& rows);

/// How much sooner a row ends than the first row that sorts as many keys of that type:
/// its time / this one's. Nothing where one of them did not run.
[[nodiscard]] std::vector<std::optional<double>> speed_ups(std::vector<WhatIfRow> const& rows);

/// From how many keys on the second of two sorts is the faster one.
struct BreakEven {
    std::uint64_t key_count = 0;  ///< within a percent; 0 = from the first key on
    std::uint64_t tried_most = 0; ///< keys up to which both fit
    bool second_ever_wins = true; ///< false: not up to tried_most
};

/// A sort on a machine.
struct Contender {
    Machine const* machine = nullptr; ///< never null
    SimulationRequest request;        ///< its number of keys is not read
};

/// \return an error where one of them cannot run even a few keys
[[nodiscard]] Expected<BreakEven> break_even(Contender const& first, Contender const& second);

} // namespace keyswap::simulator
