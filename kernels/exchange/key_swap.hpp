#pragma once

/// \file The key swap and the bucket sort as separate phases (variants `paper` and `rotated`), and
/// the copy back to the host. Source: RMG paper, sections 3.2 and 3.3.

#include "kernels/exchange/partition.hpp"

#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Everything that placement leaves to do.
struct SwapPlan {
    SwapLayout layout = SwapLayout::by_bucket;
    std::vector<OwnershipRecord> ownership;
    std::vector<OwnedBucket> owned; ///< by GPU, pieces of one bucket together, as they come
    std::vector<CopyRecord> copies;
    std::vector<SortRangeRecord> ranges;
};

/// The order of a source's copies.
enum class CopyOrder {
    ascending, ///< one a bucket, as published
    rotated    ///< contiguous ones merged, destinations from the next GPU on
};

[[nodiscard]] SwapPlan
make_swap_plan(RunContext const& context, Partition const& partition, CopyOrder order);

/// The plan with one copy a pair of GPUs and one sort a GPU (pair_swap.hpp), which costs less where
/// there are many buckets with bits left to sort.
[[nodiscard]] SwapPlan make_pair_plan(RunContext const& context, Partition const& partition);

/// The plan of one GPU: the whole input is the one bucket. Its copy onto itself is recorded, since
/// the swap's copies cover all keys.
[[nodiscard]] SwapPlan make_lone_plan(RunContext const& context);

/// Writes ownership, copies and sort ranges to the trace, if there is one.
void record_swap_plan(RunContext const& context, SwapPlan const& plan);

/// Keys of a bucket that lie together on one GPU.
struct BucketPiece {
    BucketPrefix bucket;
    KeyRange range;
};

/// Writes the digest of each bucket in a GPU's current buffer; pieces of one bucket are neighbours.
/// \pre there is a trace
void write_digests(RunContext const& context,
                   GpuState const& gpu,
                   std::vector<BucketPiece> const& pieces,
                   DigestStage stage);

/// Writes the digest of every bucket on every GPU to the trace, if there is one.
void record_digests_before_swap(RunContext const& context,
                                std::vector<GpuState> const& gpus,
                                Partition const& partition);
void record_digests(RunContext const& context,
                    std::vector<GpuState> const& gpus,
                    std::span<OwnedBucket const> owned,
                    DigestStage stage);

/// Carries out the copies; afterwards each GPU's other buffer is current.
void swap_keys(RunContext const& context, std::vector<GpuState>& gpus, SwapPlan const& plan);

/// Sorts every range and turns images back into keys. With host memory given, copies the result
/// there, range by range where a GPU has 4 to 128 of them; otherwise brings each GPU's result
/// into one buffer, which becomes current.
void sort_buckets(RunContext const& context,
                  std::vector<GpuState>& gpus,
                  SwapPlan const& plan,
                  std::optional<HostArrays> const& host);

} // namespace keyswap::kernels
