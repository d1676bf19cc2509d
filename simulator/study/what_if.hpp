#pragma once

/// \file Many simulations at once: every combination of what is varied, in a fixed order.

#include "simulator/study/simulation.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// A change of the machine: links whose name or kind contains `pattern` get `factor` times their
/// bandwidth. Written "xbus x2".
struct LinkChange {
    std::string pattern;
    double factor = 1.0;
    friend bool operator==(LinkChange const&, LinkChange const&) = default;
};

/// Reads "xbus x2". \return an error where the factor is missing or not above 0
[[nodiscard]] Expected<LinkChange> parse_link_change(std::string_view text);

/// The machine with its links changed.
/// \return an error where no link's name or kind contains the pattern
[[nodiscard]] Expected<Machine> with_link_change(Machine const& machine, LinkChange const& change);

/// What is varied; every list has at least one entry. The last varies fastest.
struct WhatIfSweep {
    std::vector<std::string> algorithms{"rmg-paper"};
    std::vector<std::uint64_t> key_counts{2'000'000'000};
    std::vector<KeyType> key_types{KeyType::u32};
    std::vector<std::string> distributions{"uniform"};
    std::vector<std::optional<double>> parameters{std::nullopt};
    std::vector<int> digit_bits{8};
    std::vector<std::optional<std::uint32_t>> tolerances_ppm{std::nullopt}; ///< the sort's own
    std::vector<std::uint32_t> fuses_ppm{10000};
    std::vector<std::optional<LinkChange>> link_changes{std::nullopt};
    std::vector<std::vector<std::uint32_t>> gpu_sets;
    ValueType value_type = ValueType::none;
    Residence residence = Residence::host;
    std::uint32_t host_node = 0;
    std::uint64_t seed = 1;
};

/// One answer.
struct WhatIfRow {
    SimulationRequest request;
    std::optional<LinkChange> link_change;
    std::uint64_t equivalent_sets = 1; ///< GPU sets that this one stands for
    double total_ms = 0.0;
    double key_swap_ms = 0.0;
    int passes = 0;
    std::string error; ///< why this combination cannot run; empty where it can
};

/// Largest number of combinations that a sweep may have.
inline constexpr std::size_t what_if_rows_max = 1'000'000;

/// Simulates every combination, on all cores. Rows come in the order of the sweep, whatever the
/// number of threads. Combinations that cannot run have an error in their row.
/// \return an error where there are too many combinations or a link change fits no link
[[nodiscard]] Expected<std::vector<WhatIfRow>> run_what_if(Machine const& machine,
                                                           WhatIfSweep const& sweep);

} // namespace keyswap::simulator
