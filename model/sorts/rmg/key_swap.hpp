#pragma once

#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace keyswap::model {

/// The part of a bucket that one GPU owns after the swap.
struct OwnedPart {
    GpuId gpu;
    IndexRange range; ///< global indices in the sorted order
    friend bool operator==(OwnedPart const&, OwnedPart const&) = default;
};

/// The owners of a final bucket's keys: one GPU or, if it was cut after the last pass, every GPU
/// from first to last, split at the borders. Source: RMG paper, section 3.2.
[[nodiscard]] std::vector<OwnedPart> owned_parts(Chunks const& chunks,
                                                 PlacementRecord const& placement);

/// [g] the range of the sorted order that each GPU owns; empty for GPUs without keys.
[[nodiscard]] std::vector<OwnershipRecord>
plan_ownership(Chunks const& chunks, std::vector<PlannedBucket> const& buckets);

/// One copy of the key swap: some or all keys of a bucket on one source.
struct BucketCopy {
    std::size_t bucket = 0; ///< index into Plan::buckets
    CopyRecord copy;
};

/// Calls `visit` for each copy of the swap: by bucket, then source, then destination, ascending.
/// Includes copies within a GPU; skips empty copies.
/// Source: RMG paper, section 3.2, "Multi-GPU P2P Bucket Exchange".
void for_each_copy(Plan const& plan, std::function<void(BucketCopy const&)> const& visit);

/// All copies of the swap, after merging copies of one source and destination that are contiguous
/// at both ends; ordered by source, then destination, then source offset.
[[nodiscard]] std::vector<CopyRecord> merged_copies(Plan const& plan);
/// As above, but ordered by source, then turn, then destination, then source offset.
/// \param turn position of the destination in the source's send order
[[nodiscard]] std::vector<CopyRecord>
merged_copies(Plan const& plan,
              std::function<std::uint32_t(GpuId source, GpuId destination)> const& turn);

/// Selects the copies to count: those of for_each_copy() or of merged_copies().
enum class SwapCopies { by_bucket, merged };

/// Totals for one source and destination, which may be the same GPU, without a list of copies.
struct PairTotals {
    std::uint64_t keys = 0;
    std::uint64_t copies = 0;
    friend bool operator==(PairTotals const&, PairTotals const&) = default;
};

/// [g * g] totals, row = source.
[[nodiscard]] std::vector<PairTotals> pair_totals(Plan const& plan, SwapCopies counted);

/// Totals of the merged copies between different GPUs, without a list of copies.
[[nodiscard]] PairTotals swap_totals(Plan const& plan);

/// Keys that each source sends to each destination: [g * g], row = source.
[[nodiscard]] std::vector<std::uint64_t> transfer_matrix(Plan const& plan);

} // namespace keyswap::model
