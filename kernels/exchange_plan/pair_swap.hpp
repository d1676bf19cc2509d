#pragma once

/// \file A key swap with one copy per pair of GPUs, for any number of refinement passes. A GPU
/// stores its sources' keys one source after the other, so that each bucket arrives in pieces; it
/// then sorts its whole range at once. Host logic without CUDA.

#include "kernels/exchange_plan/swap_plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Sums of the bucket copies: one copy per pair with keys to move, in the order of rotated_copies.
/// A destination stores its sources' keys by ascending source.
/// \param bucket_copies result of bucket_copies()
[[nodiscard]] std::vector<CopyRecord> pair_copies(std::span<CopyRecord const> bucket_copies,
                                                  std::uint32_t gpu_count);

/// Location of each bucket's pieces after the pair copies, by GPU, bucket and source.
[[nodiscard]] std::vector<OwnedBucket> arrived_pieces(std::span<FinalBucket const> buckets,
                                                      std::span<OwnershipRecord const> ownership,
                                                      std::span<CopyRecord const> pairs);

/// One range per GPU that owns keys, with the bits in which its keys may differ.
/// \param owned result of owned_buckets(), by GPU
[[nodiscard]] std::vector<SortRangeRecord> whole_ranges(std::span<OwnedBucket const> owned);

/// True if one copy per pair pays off: most keys are in buckets with more than one possible value,
/// so that one sort of a GPU's range beats one sort per bucket. False for output to host memory,
/// where downloads of sorted ranges overlap with the sort of the rest; one sort would prevent that.
[[nodiscard]] bool use_pair_swap(std::span<FinalBucket const> buckets, bool to_host);

} // namespace keyswap::kernels
