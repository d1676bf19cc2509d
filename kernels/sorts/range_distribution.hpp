#pragma once

/// \file Distributes elements in host memory among key ranges, block by block.

#include "kernels/range_sorter.hpp"
#include "kernels/sorts/range_gpu.hpp"

#include <span>

namespace keyswap::kernels {

/// Memory on each GPU beyond its buffers. Needs a device. \throws CudaFailure
[[nodiscard]] std::uint64_t distribution_bytes(ElementShape shape, std::uint64_t capacity);

/// Distributes as RangeSorter::distribute() describes. \pre at most distribution_buckets_max
/// buckets, keys of at most 64 bits \throws CudaFailure
[[nodiscard]] SortExpected<BlockCounts> distribute_blocks(SortOptions const& options,
                                                          std::span<RangeGpu const> gpus,
                                                          std::uint64_t block_size,
                                                          HostPiece const& elements,
                                                          Columns<void> to,
                                                          BucketFunction const& function);

} // namespace keyswap::kernels
