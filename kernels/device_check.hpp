#pragma once

/// \file Checks arrays in GPU memory: their order and contents, in one read and without a copy to
/// the host. No CUDA header is needed.
///
///     auto const before = summarize(shape, parts);  // parts of any lengths, in their order
///     my_sort(...);
///     auto const after = summarize(shape, parts);
///     bool const is_right = after->violations == 0 && after->elements == before->elements;

#include "kernels/check/sequence_summary.hpp"
#include "kernels/sort.hpp"

#include <span>

namespace keyswap::kernels {

/// Reads all parts in place, after all work queued on their devices. Keys are ordered in the
/// shape's direction; -0.0 precedes +0.0 unless the zero order is `equal`. Does not check whether
/// equal keys kept their order.
[[nodiscard]] SortExpected<SequenceSummary> summarize(SortShape const& shape,
                                                      std::span<SequencePart const> parts,
                                                      SummaryOptions const& options = {});

} // namespace keyswap::kernels
