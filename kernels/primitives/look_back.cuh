#pragma once

/// \file Decoupled look-back between the tiles of a partitioning step: each publishes its counts,
/// then sums over its predecessors until one knows its own sum (Adinets, Merrill: Onesweep, 2022).

#include "kernels/primitives/move_values.cuh"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Threads of a step's block and keys that each takes: CUB's tuning of Onesweep for sm_90 with
/// 32-bit offsets (tuning_radix_sort.cuh).
inline constexpr int step_threads = 384;
template <class Key, class Value>
inline constexpr int step_items = sizeof(Key) == 8 ? (sizeof(Value) == 8 ? 12 : 15)
                                                   : (sizeof(Value) == 8   ? 15
                                                      : sizeof(Value) == 4 ? 23
                                                                           : 20);
static_assert(step_items<std::uint32_t, NoValue> * step_threads * 4 < 48 * 1024);
static_assert(step_items<std::uint64_t, std::uint64_t> * step_threads * 8 < 48 * 1024);
/// The same of digits of 9 bits, each of which has a thread that looks back.
inline constexpr int wide_step_threads = 512;
template <class Key, class Value>
inline constexpr int wide_step_items = sizeof(Key) == 8 || sizeof(Value) == 8 ? 10 : 17;
static_assert(wide_step_items<std::uint64_t, std::uint64_t> * wide_step_threads * 8 < 44 * 1024);

/// A word of the look-back: a count in 30 bits, and what it counts. 0 = not published yet.
inline constexpr std::uint32_t partial_flag = 1U << 30;
inline constexpr std::uint32_t inclusive_flag = 1U << 31;
inline constexpr std::uint32_t look_back_count_mask = partial_flag - 1;

/// Publishes a tile's counts as soon as they are known, while its keys are still being ranked; what
/// CUB's early-counts ranking calls back.
template <std::uint32_t bins>
struct PublishCounts {
    std::uint32_t* look_back; ///< of this tile, [bins]
    std::uint32_t flag;
    std::uint32_t pad_label; ///< of the places beyond a partial tile, which must not be counted
    int padding;
    int& count; ///< of this thread's label

    template <std::size_t tracked>
    __device__ void operator()(int (&counts)[tracked]) {
        static_assert(tracked == 1);
        count = counts[0] - (threadIdx.x == pad_label ? padding : 0);
        if (threadIdx.x < bins) {
            __stcg(&look_back[threadIdx.x], static_cast<std::uint32_t>(count) | flag);
        }
    }
};

/// Keys of this thread's label in the tiles [first_tile, tile).
/// \param look_back [tile][bins] device
template <std::uint32_t bins>
[[nodiscard]] __device__ std::uint32_t
keys_before(std::uint32_t const* look_back, std::uint32_t tile, std::uint32_t first_tile) {
    std::uint32_t sum = 0;
    for (std::uint32_t previous = tile; previous > first_tile;) {
        --previous;
        std::uint32_t const volatile* const word =
            &look_back[static_cast<std::uint64_t>(previous) * bins + threadIdx.x];
        std::uint32_t found = *word;
        while (found == 0) {
            found = *word;
        }
        sum += found & look_back_count_mask;
        if ((found & inclusive_flag) != 0) {
            break;
        }
    }
    return sum;
}

} // namespace keyswap::kernels
