#pragma once

/// \file A key swap with one copy for each pair of GPUs, after passes that may have refined buckets
/// any number of times. Each GPU takes its sources' keys one after the other, so that a bucket's
/// keys come in pieces, and sorts its whole range at once. Host logic without CUDA.

#include "kernels/exchange_plan/swap_plan.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Sums of the copies of buckets: one copy for each pair with keys to move, in the order of
/// rotated_copies. Destinations hold their sources' keys in ascending order of sources.
/// \param bucket_copies as bucket_copies() gives them
[[nodiscard]] std::vector<CopyRecord> pair_copies(std::span<CopyRecord const> bucket_copies,
                                                  std::uint32_t gpu_count);

/// Where each bucket's pieces lie after the pair copies, by GPU, bucket and source.
[[nodiscard]] std::vector<OwnedBucket> arrived_pieces(std::span<FinalBucket const> buckets,
                                                      std::span<OwnershipRecord const> ownership,
                                                      std::span<CopyRecord const> pairs);

/// One range for each GPU that owns keys, on the bits in which they may differ.
/// \param owned as owned_buckets() gives them, by GPU
[[nodiscard]] std::vector<SortRangeRecord> whole_ranges(std::span<OwnedBucket const> owned);

/// Whether copies by pairs are used: most keys lie in buckets that no pass has resolved to one key
/// value, so that one sort of a GPU's range is faster than one of each bucket. Towards host memory,
/// copies of sorted ranges hide behind the sort of others, which one sort of all keys would end.
[[nodiscard]] bool use_pair_swap(std::span<FinalBucket const> buckets, bool to_host);

} // namespace keyswap::kernels
