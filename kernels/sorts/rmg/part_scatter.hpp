#pragma once

/// \file The scatter of a partitioning pass: each GPU orders its parts of the refined buckets by
/// the pass's digit. Source: RMG paper, section 3.1.

#include "kernels/sorts/rmg/partition.hpp"

#include <vector>

namespace keyswap::kernels {

/// Scatters all ranks' parts. Each rank's current place holds the result, in its stream.
/// \param refined ascending \param result of this pass
void scatter_parts(RunContext const& context,
                   std::vector<Rank>& ranks,
                   std::vector<SpanningBucket> const& refined,
                   PassResult const& result,
                   int pass);

} // namespace keyswap::kernels
