#pragma once

/// \file The paper's warp-level steps: histogram and offsets of a window of 32 labels with one
/// ballot per bit. Source: GPU Multisplit, section 5, procedures 2 and 3.

#include "kernels/faults/device_faults.cuh"

#include <cstdint>

namespace keyswap::kernels {

inline constexpr std::uint32_t every_lane = 0xffffffffU;
inline constexpr int window_keys = 32;

/// Rounds of voting for m buckets.
[[nodiscard]] __host__ __device__ constexpr int vote_rounds(std::uint32_t buckets) {
    int rounds = 0;
    while ((std::uint64_t{1} << rounds) < buckets) {
        ++rounds;
    }
    return rounds;
}

/// Votes on a window's labels. Lane i owns the buckets i, i + 32, ...
template <int groups>
struct WindowVotes {
    std::uint32_t same = every_lane; ///< lanes with the same label as this lane
    std::uint32_t owned[groups];     ///< lanes with label lane + 32 g

    __device__ WindowVotes(std::uint32_t label, int rounds) {
        std::uint32_t const lane = threadIdx.x % window_keys;
#pragma unroll
        for (int group = 0; group < groups; ++group) {
            owned[group] = every_lane;
        }
        if (kernel_has_fault(DeviceFault::vote_lane_alias)) {
            --rounds;
        }
        for (int bit = 0; bit < rounds; ++bit) {
            std::uint32_t const vote = __ballot_sync(every_lane, (label >> bit & 1U) != 0);
            same &= (label >> bit & 1U) != 0 ? vote : ~vote;
#pragma unroll
            for (int group = 0; group < groups; ++group) {
                std::uint32_t const bucket = lane + window_keys * group;
                owned[group] &= (bucket >> bit & 1U) != 0 ? vote : ~vote;
            }
        }
    }
    /// Keys of bucket lane + 32 g in the window. For numbers >= m, which alias a lower bucket, the
    /// result must not be used.
    [[nodiscard]] __device__ std::uint32_t count(int group) const {
        return __popc(owned[group]);
    }
    /// Number of earlier lanes with this lane's label.
    [[nodiscard]] __device__ std::uint32_t offset() const {
        return __popc(same & ((1U << (threadIdx.x % window_keys)) - 1U));
    }
};

/// Exclusive prefix sum over the lanes of a warp.
[[nodiscard]] __device__ inline std::uint32_t exclusive_lane_sum(std::uint32_t value) {
    int const lane = static_cast<int>(threadIdx.x) % window_keys;
    std::uint32_t sum = value;
#pragma unroll
    for (int distance = 1; distance < window_keys; distance *= 2) {
        std::uint32_t const other = __shfl_up_sync(every_lane, sum, distance);
        sum += lane >= distance ? other : 0;
    }
    return sum - value;
}

} // namespace keyswap::kernels
