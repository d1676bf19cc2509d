#pragma once

/// \file The scatter of a partitioning pass: each GPU orders its parts of the refined buckets by
/// the pass's digit. Source: RMG paper, section 3.1.

#include "kernels/exchange/pass_rule.hpp"

#include <span>
#include <vector>

namespace keyswap::kernels {

/// Scatters all GPUs' parts in their streams; the current buffers then hold the result.
/// \param refined ascending \param result of this pass
void scatter_parts(RunContext const& context,
                   std::vector<GpuState>& gpus,
                   std::vector<SpanningBucket> const& refined,
                   PassResult const& result,
                   int pass);

} // namespace keyswap::kernels
