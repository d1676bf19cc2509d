#pragma once

/// \file Digests of buckets whose keys lie in segments of a swap, in any order inside of one.

#include "kernels/exchange_plan/swap_segments.hpp"
#include "kernels/runtime/run_context.hpp"

#include <span>
#include <vector>

namespace keyswap::kernels {

/// Writes the digest of every bucket on every GPU of this process to the trace: of what lies in
/// buffer 1 before the swap; after it in buffer 0, and in buffer 1 of what has stayed there. \pre
/// there is a trace
void record_segment_digests(RunContext const& context,
                            std::vector<GpuState> const& gpus,
                            std::span<FinalBucket const> buckets,
                            std::span<SwapSegment const> segments,
                            DigestStage stage);

} // namespace keyswap::kernels
