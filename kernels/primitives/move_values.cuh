#pragma once

/// \file Values that follow their keys out of a tile.

#include "kernels/faults/device_faults.cuh"

namespace keyswap::kernels {

/// The value of a sort of keys alone.
struct NoValue {};
template <class Value>
inline constexpr bool is_value = sizeof(Value) > 1;
template <class Value>
inline constexpr int value_bytes = is_value<Value> ? static_cast<int>(sizeof(Value)) : 0;

/// Takes a tile's values through shared memory to where their keys went. All threads of the block
/// call it; no one reads `shared` any more.
/// \param shared [threads * items]; overwritten
/// \param in [count] of the tile, read a warp's stretch of items * 32 at a time
/// \param ranks of the thread's elements in the tile, as they were read
/// \param place_of (i, at): where in `out` the element at place `at` goes, the thread's i-th
template <int threads, int items, class Value, class PlaceOf>
__device__ void move_values(Value* shared,
                            Value const* in,
                            Value* out,
                            int count,
                            int const (&ranks)[items],
                            PlaceOf place_of) {
    constexpr int warp_size = 32;
    int const lane = static_cast<int>(threadIdx.x) % warp_size;
    int const warp_begin = static_cast<int>(threadIdx.x) / warp_size * (warp_size * items);
    Value values[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = warp_begin + i * warp_size + lane;
        if (at < count) {
            values[i] = in[at];
        }
    }
    __syncthreads();
    if (kernel_has_fault(DeviceFault::values_by_other_rank)) {
        Value const first = values[0];
        values[0] = values[1];
        values[1] = first;
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
        shared[ranks[i]] = values[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = static_cast<int>(threadIdx.x) + i * threads;
        if (at < count) {
            out[place_of(i, at)] = shared[at];
        }
    }
}

} // namespace keyswap::kernels
