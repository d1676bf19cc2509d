#pragma once

/// \file Unstable ranking of a tile's keys by shared-memory atomics, for steps that may reorder
/// equal labels.

#include <cstdint>

namespace keyswap::kernels {

/// A warp's atomics on one counter are serialized. If this many of its first keys have the same
/// label, the warp sums them first.
inline constexpr int hot_label_keys = 8;

/// A number below 2^16 for each key of a thread, two per register: its rank within its label in the
/// tile, or its digit.
template <int items>
class HalfWords {
  public:
    /// \pre numbers are set in order of i
    __device__ void set(int i, std::uint32_t number) {
        packed_[i / 2] = i % 2 == 0 ? number : packed_[i / 2] | number << 16;
    }
    [[nodiscard]] __device__ std::uint32_t at(int i) const {
        return i % 2 == 0 ? packed_[i / 2] & 0xffffU : packed_[i / 2] >> 16;
    }

  private:
    std::uint32_t packed_[(items + 1) / 2];
};

/// Rank of a key within its label, for warps with many keys of the same label.
[[nodiscard]] __device__ inline std::uint32_t
rank_in_warp(std::uint32_t* counters, std::uint32_t label, bool valid) {
    constexpr int warp_size = 32;
    constexpr std::uint32_t whole_warp = 0xffffffffU;
    constexpr std::uint32_t no_label = 0xffffffffU;
    std::uint32_t const peers = __match_any_sync(whole_warp, valid ? label : no_label);
    int const lane = static_cast<int>(threadIdx.x) % warp_size;
    int const leader = __ffs(static_cast<int>(peers)) - 1;
    std::uint32_t first = 0;
    if (valid && lane == leader) {
        first = atomicAdd(&counters[label], static_cast<std::uint32_t>(__popc(peers)));
    }
    first = __shfl_sync(whole_warp, first, leader);
    return first + static_cast<std::uint32_t>(__popc(peers & ((1U << lane) - 1U)));
}

/// Ranks all keys of a thread. \param counters shared, per label; on return, keys of the tile
/// \param label_of, is_key functions of i, for the thread's i-th key
template <int items, class LabelOf, class IsKey>
__device__ void
rank_tile(HalfWords<items>& ranks, std::uint32_t* counters, LabelOf label_of, IsKey is_key) {
    constexpr std::uint32_t whole_warp = 0xffffffffU;
    std::uint32_t const peers = __match_any_sync(whole_warp, label_of(0));
    if (__any_sync(whole_warp, __popc(peers) >= hot_label_keys)) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            ranks.set(i, rank_in_warp(counters, label_of(i), is_key(i)));
        }
    } else {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            ranks.set(i, is_key(i) ? atomicAdd(&counters[label_of(i)], 1U) : 0U);
        }
    }
}

} // namespace keyswap::kernels
