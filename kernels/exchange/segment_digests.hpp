#pragma once

/// \file Digests of buckets whose keys are in segments of a swap; their order is irrelevant.

#include "kernels/exchange_plan/swap_segments.hpp"
#include "kernels/runtime/run_context.hpp"

#include <span>
#include <vector>

namespace keyswap::kernels {

/// Writes the digest of every bucket on every GPU of this process to the trace. Reads buffer 1
/// before the swap; afterwards buffer 0, and buffer 1 for own parts that were not moved. \pre
/// context.trace != nullptr
void record_segment_digests(RunContext const& context,
                            std::vector<GpuState> const& gpus,
                            std::span<FinalBucket const> buckets,
                            std::span<SwapSegment const> segments,
                            DigestStage stage);

} // namespace keyswap::kernels
