#pragma once

/// \file Checks that a sort's output is its sorted input. All arrays are in memory that the sort
/// never could access, or no longer can.

#include "traces/records/key_type.hpp"
#include "traces/records/records.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::conformance {

/// Properties of a correct output.
struct OrderRules {
    Direction direction = Direction::ascending;
    ZeroOrder zero_order = ZeroOrder::total;
    Stability stability = Stability::unstable; ///< stable: values ascend among equal keys
};

/// Verdicts "sorted" and "permutation"; with values also "pairs", and "stable" for a sort that must
/// be stable.
/// \param made generated keys, [n] of the type, aligned to it
/// \param output sorted keys, [n] of the type, aligned to it
/// \param values [n] input index that accompanied each output key; empty without values
/// \pre made and output have the same size
[[nodiscard]] std::vector<VerdictRecord> output_verdicts(KeyType key_type,
                                                         std::span<std::byte const> made,
                                                         std::span<std::byte const> output,
                                                         std::span<std::uint64_t const> values,
                                                         OrderRules const& rules);

} // namespace keyswap::conformance
