#pragma once

/// \file Look-back of blocks whose threads have a label each, and the sizes of their tiles.

#include "kernels/primitives/look_back.hpp"
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

/// Words of this thread's label.
template <std::uint32_t bins>
struct LabelWords {
    std::uint32_t* words; ///< [tile][bins] device

    [[nodiscard]] __device__ std::uint32_t read(std::uint32_t tile) const {
        return *static_cast<std::uint32_t const volatile*>(place(tile));
    }
    __device__ void write(std::uint32_t tile, std::uint32_t word) const {
        __stcg(place(tile), word);
    }

  private:
    [[nodiscard]] __device__ std::uint32_t* place(std::uint32_t tile) const {
        return &words[static_cast<std::uint64_t>(tile) * bins + threadIdx.x];
    }
};

/// Publishes a tile's counts as soon as they are known, while its keys are still being ranked; what
/// CUB's early-counts ranking calls back.
template <std::uint32_t bins>
struct PublishCounts {
    LabelWords<bins> words;
    std::uint32_t tile;
    std::uint32_t flag;
    std::uint32_t pad_label; ///< of the places beyond a partial tile, which must not be counted
    int padding;
    int& count; ///< of this thread's label

    template <std::size_t tracked>
    __device__ void operator()(int (&counts)[tracked]) {
        static_assert(tracked == 1);
        count = counts[0] - (threadIdx.x == pad_label ? padding : 0);
        if (threadIdx.x < bins) {
            words.write(tile, static_cast<std::uint32_t>(count) | flag);
        }
    }
};

} // namespace keyswap::kernels
