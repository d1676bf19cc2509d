#pragma once

#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace keyswap::model {

/// The part of a bucket that one GPU owns after the swap.
struct OwnedPart {
    GpuId gpu;
    IndexRange range; ///< global indices of the sorted order
    friend bool operator==(OwnedPart const&, OwnedPart const&) = default;
};

/// Where the keys of a final bucket end up: on one GPU, or, cut after the last pass, on every GPU
/// from first to last, divided at the borders. Source: RMG paper, section 3.2.
[[nodiscard]] std::vector<OwnedPart> owned_parts(Chunks const& chunks,
                                                 PlacementRecord const& placement);

/// The range of the sorted order that each GPU owns; GPUs without keys own an empty range.
[[nodiscard]] std::vector<OwnershipRecord>
plan_ownership(Chunks const& chunks, std::vector<PlannedBucket> const& buckets);

/// One piece of the key swap: part or all of a bucket's keys on one source.
struct BucketCopy {
    std::size_t bucket = 0; ///< index into Plan::buckets
    CopyRecord copy;
};

/// Calls `visit` for each copy of the swap: by bucket, then source, then destination, ascending.
/// Copies within a GPU are among them; copies without keys are not.
/// Source: RMG paper, section 3.2, "Multi-GPU P2P Bucket Exchange".
void for_each_copy(Plan const& plan, std::function<void(BucketCopy const&)> const& visit);

/// All copies of the swap, those of one source and destination that are contiguous at both ends
/// merged; by source, then destination, then source offset.
[[nodiscard]] std::vector<CopyRecord> merged_copies(Plan const& plan);
/// The same by source, then turn, then destination, then source offset.
/// \param turn when a source's copies to a destination come
[[nodiscard]] std::vector<CopyRecord>
merged_copies(Plan const& plan,
              std::function<std::uint32_t(GpuId source, GpuId destination)> const& turn);

/// Which copies are counted: those of for_each_copy, or those of merged_copies.
enum class SwapCopies { by_bucket, merged };

/// What one GPU sends to another, or leaves to itself, without the list of copies.
struct PairTotals {
    std::uint64_t keys = 0;
    std::uint64_t copies = 0;
    friend bool operator==(PairTotals const&, PairTotals const&) = default;
};

/// Of each source to each destination: [g * g], row = source.
[[nodiscard]] std::vector<PairTotals> pair_totals(Plan const& plan, SwapCopies counted);

/// The size of the swap, without its list of copies.
struct SwapTotals {
    std::uint64_t moved = 0;  ///< keys that change GPUs
    std::uint64_t copies = 0; ///< merged copies between different GPUs
};
[[nodiscard]] SwapTotals swap_totals(Plan const& plan);

/// Keys that move from each source to each destination: [g * g], row = source.
[[nodiscard]] std::vector<std::uint64_t> transfer_matrix(Plan const& plan);

} // namespace keyswap::model
