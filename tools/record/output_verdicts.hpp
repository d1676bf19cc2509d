#pragma once

/// \file Checks that a sort's output is its sorted input. All arrays are in memory that the sort
/// never could access, or no longer can.

#include "traces/records/records.hpp"
#include "traces/records/sort_shape.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::conformance {

/// Verdicts "sorted" and "permutation"; with values also "pairs", and "stable" for a sort that must
/// be stable.
/// \param made generated keys, [n] of the type, aligned to it
/// \param output sorted keys, [n] of the type, aligned to it
/// \param values [n] input index that accompanied each output key; empty without values
/// \pre made and output have the same size
[[nodiscard]] std::vector<VerdictRecord> output_verdicts(SortShape const& shape,
                                                         std::span<std::byte const> made,
                                                         std::span<std::byte const> output,
                                                         std::span<std::uint64_t const> values);

} // namespace keyswap::conformance
