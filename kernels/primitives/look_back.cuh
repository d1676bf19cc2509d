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
/// Labels that a thread of a step's block looks after, neighbouring ones.
template <std::uint32_t labels>
inline constexpr int tracked_labels = (labels + step_threads - 1) / step_threads;
/// The first of them.
template <std::uint32_t labels>
__device__ std::uint32_t first_tracked_label() {
    return threadIdx.x * tracked_labels<labels>;
}

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
    int (&counts_here)[tracked_labels<bins>]; ///< of this thread's labels

    __device__ void operator()(int (&counts)[tracked_labels<bins>]) {
#pragma unroll
        for (int i = 0; i < tracked_labels<bins>; ++i) {
            std::uint32_t const label = first_tracked_label<bins>() + static_cast<unsigned>(i);
            counts_here[i] = counts[i] - (label == pad_label ? padding : 0);
            if (label < bins) {
                __stcg(&look_back[label], static_cast<std::uint32_t>(counts_here[i]) | flag);
            }
        }
    }
};

/// Keys of this thread's labels in the tiles [first_tile, tile).
/// \param look_back [tile][bins] device \param sums takes them
/// \pre the thread has labels
template <std::uint32_t bins>
__device__ void sum_keys_before(std::uint32_t const* look_back,
                                std::uint32_t tile,
                                std::uint32_t first_tile,
                                std::uint32_t (&sums)[tracked_labels<bins>]) {
    constexpr int tracked = tracked_labels<bins>;
    bool is_known[tracked] = {};
#pragma unroll
    for (int i = 0; i < tracked; ++i) {
        sums[i] = 0;
    }
    for (std::uint32_t previous = tile; previous > first_tile;) {
        --previous;
        std::uint32_t const volatile* const words =
            &look_back[static_cast<std::uint64_t>(previous) * bins + first_tracked_label<bins>()];
        std::uint32_t found[tracked];
#pragma unroll
        for (int i = 0; i < tracked; ++i) { // none waits for another's
            found[i] = is_known[i] ? inclusive_flag : words[i];
        }
        bool are_known = true;
#pragma unroll
        for (int i = 0; i < tracked; ++i) {
            while (found[i] == 0) {
                found[i] = words[i];
            }
            sums[i] += found[i] & look_back_count_mask;
            is_known[i] = (found[i] & inclusive_flag) != 0;
            are_known = are_known && is_known[i];
        }
        if (are_known) {
            break;
        }
    }
}

} // namespace keyswap::kernels
