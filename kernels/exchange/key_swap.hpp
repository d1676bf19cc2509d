#pragma once

/// \file The key swap and the bucket sort as separate phases (variants `paper` and `rotated`), and
/// the download of the result. Source: RMG paper, sections 3.2 and 3.3.

#include "kernels/exchange/partition.hpp"

#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Key swap and bucket sort, derived from a placement.
struct SwapPlan {
    SwapLayout layout = SwapLayout::by_bucket;
    std::vector<OwnershipRecord> ownership;
    std::vector<OwnedBucket> owned; ///< by GPU; pieces of a bucket are adjacent, as they arrive
    std::vector<CopyRecord> copies;
    std::vector<SortRangeRecord> ranges;
};

/// The order of a source's copies.
enum class CopyOrder {
    ascending, ///< one copy per bucket, as published
    rotated    ///< contiguous copies merged, next GPU first
};

[[nodiscard]] SwapPlan
make_swap_plan(RunContext const& context, Partition const& partition, CopyOrder order);

/// The plan with one copy per pair of GPUs and one sort per GPU (pair_swap.hpp), which is faster if
/// many buckets have unsorted bits.
[[nodiscard]] SwapPlan make_pair_plan(RunContext const& context, Partition const& partition);

/// The single-GPU plan: the whole input is one bucket. Its copy onto itself is recorded, as the
/// copies of a swap must cover all keys.
[[nodiscard]] SwapPlan make_single_gpu_plan(RunContext const& context);

/// Writes ownership, copies and sort ranges to the trace; no effect without a trace.
void record_swap_plan(RunContext const& context, SwapPlan const& plan);

/// Writes the digest of every bucket on every GPU to the trace; no effect without a trace.
void record_digests_before_swap(RunContext const& context,
                                std::vector<GpuState> const& gpus,
                                Partition const& partition);
/// \param owned pieces of a bucket must be adjacent
void record_digests(RunContext const& context,
                    std::vector<GpuState> const& gpus,
                    std::span<OwnedBucket const> owned,
                    DigestStage stage);

/// Carries out the copies; afterwards each GPU's other buffer is current.
void swap_keys(RunContext const& context, std::vector<GpuState>& gpus, SwapPlan const& plan);

/// Sorts every range and decodes images into keys. If `host` is given, downloads the result, range
/// by range for GPUs with 4 to 128 ranges; otherwise moves each GPU's result into a single buffer,
/// which becomes current.
void sort_buckets(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  SwapPlan const& plan,
                  std::optional<Columns<void>> const& host);

} // namespace keyswap::kernels
