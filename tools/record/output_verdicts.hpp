#pragma once

/// \file Whether what a sort left is what it was given, sorted. All of it lies in memory that the
/// sort could not reach, or can reach no more.

#include "traces/records/key_type.hpp"
#include "traces/records/records.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::conformance {

/// What is right.
struct OrderRules {
    Direction direction = Direction::ascending;
    ZeroOrder zero_order = ZeroOrder::total;
    Stability stability = Stability::unstable; ///< stable: values of equal keys ascend
};

/// Verdicts on "sorted", "permutation", and where there are values on "pairs" and, for a sort that
/// is to be stable, on "stable".
/// \param made keys as they were made, [n] of the type, aligned to it
/// \param output keys as they came out, [n] of the type, aligned to it
/// \param values [n]: the input index that came out with each key; empty if keys have no values
/// \pre made and output have the same size
[[nodiscard]] std::vector<VerdictRecord> output_verdicts(KeyType key_type,
                                                         std::span<std::byte const> made,
                                                         std::span<std::byte const> output,
                                                         std::span<std::uint64_t const> values,
                                                         OrderRules const& rules);

} // namespace keyswap::conformance
