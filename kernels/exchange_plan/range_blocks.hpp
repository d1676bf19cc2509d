#pragma once

/// \file Blocks in which GPUs distribute elements in host memory among ranges of keys. Plain C++;
/// the simulator includes it too.

#include "kernels/primitives/sort_buffers.hpp"

#include <algorithm>
#include <cstdint>

namespace keyswap::kernels {

/// Most ranges that GPUs distribute among.
inline constexpr std::uint32_t distribution_buckets_max = 256;

/// Elements of a block, at least 1 and at most a GPU's buffer of `capacity`. Its copies take 5 ms
/// each way at 55 GB/s, a hundred times as long as it takes to queue its work.
[[nodiscard]] constexpr std::uint64_t distribution_block(ElementShape shape,
                                                         std::uint64_t capacity) {
    constexpr std::uint64_t block_bytes = std::uint64_t{1} << 28U;
    auto const element_bytes = static_cast<std::uint64_t>(shape.bytes());
    return std::clamp<std::uint64_t>(capacity, 1, block_bytes / element_bytes);
}

} // namespace keyswap::kernels
