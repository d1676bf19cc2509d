#pragma once

/// \file Moves the values of a tile to where their keys went.

#include "kernels/faults/device_faults.cuh"

namespace keyswap::kernels {

/// The value type of a sort without values.
struct NoValue {};
template <class Value>
inline constexpr bool is_value = sizeof(Value) > 1;
template <class Value>
inline constexpr int value_bytes = is_value<Value> ? static_cast<int>(sizeof(Value)) : 0;

/// Moves a tile's values through shared memory to their keys' destinations. Called by all threads
/// of the block; `shared` must no longer be in use.
/// \param shared [threads * items]; overwritten
/// \param in [count] of the tile; each warp reads a contiguous range of items * 32
/// \param ranks positions of the thread's elements in the tile, in order of reading
/// \param place_of (i, at): index in `out` of the element at position `at`, the thread's i-th
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
