#pragma once

/// \file The scatter of a partitioning pass: each GPU orders its parts of the refined buckets by
/// the pass's digit. Source: RMG paper, section 3.1.

#include "kernels/sorts/rmg/pass_rule.hpp"

#include <span>
#include <vector>

namespace keyswap::kernels {

/// After parts of a chunk were scattered from the current buffer to the other: copies whichever is
/// less, the parts back or what lies between them, and takes the buffer with all as current.
/// \param parts ascending
void join_scattered(RunContext const& context, GpuState& gpu, std::span<KeyRange const> parts);

/// Scatters all GPUs' parts. Each GPU's current buffer holds the result, in its stream.
/// \param refined ascending \param result of this pass
void scatter_parts(RunContext const& context,
                   std::vector<GpuState>& gpus,
                   std::vector<SpanningBucket> const& refined,
                   PassResult const& result,
                   int pass);

} // namespace keyswap::kernels
