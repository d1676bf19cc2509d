#pragma once

/// \file Look-back by blocks with one label per thread, and the words they share.

#include "kernels/primitives/move_values.cuh"
#include "kernels/primitives/steps/look_back.hpp"
#include "kernels/primitives/steps/tile_sizes.hpp"

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

inline constexpr int step_threads = stable_block({}, step_bits).threads;
template <class Key, class Value, int digit_bits = step_bits>
inline constexpr BlockShape
    step_block = stable_block({static_cast<int>(sizeof(Key)), value_bytes<Value>}, digit_bits);

/// Look-back words of this thread's label.
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

/// Publishes a tile's counts as soon as they are known, while its keys are still being ranked;
/// callback of CUB's early-counts ranking.
template <std::uint32_t bins>
struct PublishCounts {
    LabelWords<bins> words;
    std::uint32_t tile;
    std::uint32_t flag;
    std::uint32_t pad_label; ///< label of positions beyond a partial tile: not counted
    int padding;
    int& count; ///< keys of this thread's label

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
