#pragma once

/// \file Block sizes of steps: threads and elements per thread. Plain C++; the simulator includes
/// them too.

#include "kernels/primitives/block_shape.hpp"
#include "kernels/primitives/segment_limits.hpp"
#include "kernels/primitives/sort_buffers.hpp"

#include <algorithm>
#include <cstdint>

namespace keyswap::kernels {

/// Block of a stable step: CUB's tuning of Onesweep for sm_90 with 32-bit offsets
/// (tuning_radix_sort.cuh). Digits of more than 8 bits have one thread each for look-back.
[[nodiscard]] constexpr BlockShape stable_block(ElementShape shape, int digit_bits) {
    bool const wide_value = shape.value_bytes == 8;
    if (digit_bits > step_bits) {
        return {512, shape.key_bytes == 8 || wide_value ? 10 : 17};
    }
    if (shape.key_bytes == 8) {
        return {384, wide_value ? 12 : 15};
    }
    return {384, wide_value ? 15 : shape.value_bytes == 4 ? 23 : 20};
}
static_assert(stable_block({4, 0}, step_bits).size() * 4 < 48 * 1024);
static_assert(stable_block({8, 8}, step_bits).size() * 8 < 48 * 1024);
static_assert(stable_block({8, 8}, wide_step_bits).size() * 8 < 44 * 1024);

/// Block of an unstable step. Without values, a multiprocessor holds two blocks. On an H100
/// (2026-11-28, 2^29 32-bit keys, 8 and 9 bits) 28 items took 1.91 and 2.39 ms, 24 took 1.97 and
/// 2.45, 32 took 1.93 and 2.42; of 64 bits 16 took 3.52 and 4.31, 12 took 3.73 and 4.56, 20 took
/// 3.66 and 4.49; the same are best on an H200 (DECISIONS.md). Pairs use one block with more
/// registers, since a tile then writes longer runs per digit: of 14 shapes tried on an H100
/// (2026-11-25, 2^28 32-bit pairs) 1.92 ms with 8 bits and 2.19 with 9, down from 2.29 and 2.83
/// with 24 items and two blocks.
[[nodiscard]] constexpr BlockShape unstable_block(ElementShape shape) {
    bool const is_wide = std::max(shape.key_bytes, shape.value_bytes) == 8;
    return {512, shape.value_bytes > 0 ? (is_wide ? 16 : 32) : (is_wide ? 16 : 28)};
}

/// Block of a label step: 48 KiB for the wider of key and value.
[[nodiscard]] constexpr BlockShape label_block(ElementShape shape) {
    return {512, 96 / std::max(shape.key_bytes, shape.value_bytes)};
}

// For a level of sample sort as published (direct_step.hpp).
inline constexpr int direct_levels = 7; ///< of a tree
/// k: buckets of a segment, including equality buckets.
inline constexpr std::uint32_t direct_ways = 1U << direct_levels;
inline constexpr int direct_threads = 256; ///< t
inline constexpr int direct_items = 8;     ///< l
inline constexpr std::uint32_t direct_tile_keys = direct_threads * direct_items;

} // namespace keyswap::kernels
