#pragma once

/// \file Checks of arrays in the memory of GPUs: their order and what they hold, in one reading and
/// without a copy to the host. No CUDA header is needed.
///
///     auto const before = summarize(shape, parts);  // parts of any lengths, in their order
///     my_sort(...);
///     auto const after = summarize(shape, parts);
///     bool const is_right = after->violations == 0 && after->elements == before->elements;

#include "kernels/check/sequence_summary.hpp"
#include "kernels/sort.hpp"

#include <span>

namespace keyswap::kernels {

/// Reads all parts, each where it lies, after the work that was queued on their devices. Keys are
/// ordered in the shape's direction; -0.0 comes before +0.0 unless its zero order is `equal`.
/// Whether equal keys kept their order is not looked at.
[[nodiscard]] SortExpected<SequenceSummary> summarize(SortShape const& shape,
                                                      std::span<SequencePart const> parts,
                                                      SummaryOptions const& options = {});

} // namespace keyswap::kernels
