#pragma once

/// \file The sort of a leaf by bins: a block counts its keys into about half as many bins of equal
/// width, orders them by bin in shared memory, and places each key by comparing it with those of
/// its bin. Reads and writes every key once, and compares it with two or three others where keys
/// lie evenly between the smallest and the largest. Leaves where one bin holds far more are left
/// to a merge sort. Not stable: atomics rank the keys of a bin. Source: one level of the hybrid
/// radix sort's local sort (Stehle, Jacobsen 2017), with bins from the leaf's own range.

#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/leaf_bins.hpp"
#include "kernels/primitives/leaf_sort.hpp"
#include "kernels/primitives/move_values.cuh"
#include "kernels/primitives/tile_ranks.cuh"

namespace keyswap::kernels::leaf_sort_detail {

/// Threads of the largest class's block; smaller classes have fewer, each with as many keys.
constexpr int bin_threads_max = 512;
constexpr int warp_size = 32;
constexpr int bin_warps_max = bin_threads_max / warp_size;
template <class Key>
constexpr int bin_items = sizeof(Key) == 8 ? 8 : 16;
/// Bins of a thread, a multiple of the four that it reads at once.
template <class Key>
constexpr int thread_bins = bin_items<Key> / 2;
/// A key is compared with all of its bin: as many as this cost what a merge sort costs.
constexpr std::uint32_t bin_keys_max = 128;

template <class Key, class Value>
constexpr std::size_t widest = is_value<Value> && sizeof(Value) > sizeof(Key) ? sizeof(Value)
                                                                              : sizeof(Key);

/// Shared memory of a block: keys (then values) in order, where bins begin, keys' final places.
template <class Key, class Value>
constexpr std::size_t bin_bytes(std::size_t threads) {
    std::size_t const keys = threads * bin_items<Key>;
    return keys * widest<Key, Value> + (threads * thread_bins<Key> + 4) * sizeof(std::uint32_t) +
           (is_value<Value> ? keys * sizeof(std::uint16_t) : 0);
}

template <class Key>
struct KeyRangeOfBlock {
    Key low;
    Key high;
};

template <class Key>
__device__ KeyRangeOfBlock<Key> joined(KeyRangeOfBlock<Key> a, KeyRangeOfBlock<Key> b) {
    return {a.low < b.low ? a.low : b.low, a.high < b.high ? b.high : a.high};
}

/// Over all lanes of a warp.
template <class Key>
__device__ KeyRangeOfBlock<Key> range_of_warp(KeyRangeOfBlock<Key> range) {
    constexpr std::uint32_t whole_warp = 0xffffffffU;
#pragma unroll
    for (int lanes = warp_size / 2; lanes > 0; lanes /= 2) {
        range = joined(range,
                       {static_cast<Key>(__shfl_xor_sync(whole_warp, range.low, lanes)),
                        static_cast<Key>(__shfl_xor_sync(whole_warp, range.high, lanes))});
    }
    return range;
}

/// Sum of the lanes before and of this one.
__device__ inline std::uint32_t sum_to_lane(std::uint32_t value) {
    constexpr std::uint32_t whole_warp = 0xffffffffU;
    int const lane = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
    for (int lanes = 1; lanes < warp_size; lanes *= 2) {
        std::uint32_t const before = __shfl_up_sync(whole_warp, value, lanes);
        value += lane >= lanes ? before : 0;
    }
    return value;
}

/// Turns a block's counts into where each bin begins, with the number of keys behind the last.
/// \param sums shared, of each warp \return whether no bin of any thread holds too many keys
template <int bins>
__device__ bool sum_bins(std::uint32_t* begins, std::uint32_t* sums) {
    static_assert(bins % 4 == 0);
    auto* const own = reinterpret_cast<uint4*>(begins + threadIdx.x * bins);
    std::uint32_t counts[bins];
#pragma unroll
    for (int i = 0; i < bins / 4; ++i) {
        uint4 const four = own[i];
        counts[4 * i] = four.x;
        counts[4 * i + 1] = four.y;
        counts[4 * i + 2] = four.z;
        counts[4 * i + 3] = four.w;
    }
    std::uint32_t sum = 0;
    std::uint32_t most = 0;
#pragma unroll
    for (int i = 0; i < bins; ++i) {
        std::uint32_t const count = counts[i];
        counts[i] = sum;
        sum += count;
        most = count > most ? count : most;
    }
    auto const lane = threadIdx.x % warp_size;
    auto const warp = threadIdx.x / warp_size;
    std::uint32_t const to_lane = sum_to_lane(sum);
    if (lane == warp_size - 1) {
        sums[warp] = to_lane;
    }
    bool const is_crowded = __syncthreads_or(most > bin_keys_max ? 1 : 0) != 0;
    auto const warps = blockDim.x / warp_size;
    std::uint32_t const to_warp = sum_to_lane(lane < warps ? sums[lane] : 0);
    constexpr std::uint32_t whole_warp = 0xffffffffU;
    std::uint32_t const before_warp =
        warp == 0 ? 0 : __shfl_sync(whole_warp, to_warp, static_cast<int>(warp) - 1);
    std::uint32_t const before = before_warp + to_lane - sum;
#pragma unroll
    for (int i = 0; i < bins / 4; ++i) {
        own[i] = {before + counts[4 * i],
                  before + counts[4 * i + 1],
                  before + counts[4 * i + 2],
                  before + counts[4 * i + 3]};
    }
    if (threadIdx.x == blockDim.x - 1) {
        begins[blockDim.x * bins] = before + sum;
    }
    return !is_crowded;
}

/// One block a leaf, of bin_items keys a thread.
template <class Key, class Value>
__global__ void __launch_bounds__(bin_threads_max, 2)
    bin_leaf_kernel(ChildTable table, std::uint32_t const* leaves, LeafArrays arrays) {
    constexpr int items = bin_items<Key>;
    constexpr int bins_a_thread = thread_bins<Key>;
    extern __shared__ __align__(16) unsigned char leaf_bytes[];
    auto const threads = static_cast<int>(blockDim.x);
    auto const thread = static_cast<int>(threadIdx.x);
    std::size_t const capacity = blockDim.x * static_cast<std::size_t>(items);
    std::uint32_t const bins = blockDim.x * bins_a_thread;
    auto* const tile = reinterpret_cast<Key*>(leaf_bytes);
    auto* const begins =
        reinterpret_cast<std::uint32_t*>(leaf_bytes + capacity * widest<Key, Value>);
    __shared__ KeyRangeOfBlock<Key> ranges[bin_warps_max];
    __shared__ std::uint32_t sums[bin_warps_max];

    std::uint32_t const entry = leaves[blockIdx.x];
    auto const count = static_cast<int>(table.counts[entry]);
    std::uint64_t const begin = table.ends[entry] - static_cast<std::uint64_t>(count);
    Key const* const keys_in = static_cast<Key const*>(arrays.keys_in) + begin;
    Key* const keys_out = static_cast<Key*>(arrays.keys_out) + begin;
    auto const is_key = [thread, threads, count](int i) { return i * threads + thread < count; };
    Key keys[items];
    KeyRangeOfBlock<Key> range{static_cast<Key>(~Key{0}), 0};
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_key(i)) {
            keys[i] = keys_in[i * threads + thread];
            range = joined(range, {keys[i], keys[i]});
        }
    }
#pragma unroll
    for (int i = 0; i < bins_a_thread / 4; ++i) {
        reinterpret_cast<uint4*>(begins)[i * threads + thread] = {0, 0, 0, 0};
    }
    range = range_of_warp(range);
    if (thread % warp_size == 0) {
        ranges[thread / warp_size] = range;
    }
    __syncthreads();
    int const lane = thread % warp_size;
    range = range_of_warp(ranges[lane < threads / warp_size ? lane : 0]);
    BinScale<Key> const scale = bin_scale(range.low, range.high, bins);

    TileRanks<items> ranks; // in their bins, then in the tile
#pragma unroll
    for (int i = 0; i < items; ++i) {
        ranks.set(i, is_key(i) ? atomicAdd(&begins[scale.bin_of(keys[i])], 1U) : 0U);
    }
    __syncthreads();
    bool const is_even = sum_bins<bins_a_thread>(begins, sums);
    if (!is_even && !scale.is_exact()) {
        if (thread == 0 && !kernel_has_fault(DeviceFault::crowded_leaf_left)) {
            std::uint32_t const at = atomicAdd(&table.kinds->crowded, 1U);
            table.leaves[leaf_classes * static_cast<std::uint64_t>(table.entries) + at] = entry;
        }
        return;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_key(i)) {
            std::uint32_t const place = begins[scale.bin_of(keys[i])] + ranks.at(i);
            ranks.replace(i, place);
            tile[place] = keys[i];
        }
    }
    [[maybe_unused]] auto* const places = reinterpret_cast<std::uint16_t*>(begins + bins + 4);
    [[maybe_unused]] Value values[is_value<Value> ? items : 1];
    if constexpr (is_value<Value>) {
        Value const* const values_in = static_cast<Value const*>(arrays.values_in) + begin;
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                values[i] = values_in[i * threads + thread];
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_key(i)) {
            auto const at = static_cast<std::uint32_t>(i * threads + thread);
            Key const key = tile[at];
            std::uint32_t place = at;
            if (!scale.is_exact()) {
                std::uint32_t const bin = scale.bin_of(key);
                std::uint32_t const bin_end = begins[bin + 1];
                std::uint32_t other = begins[bin];
                place = other;
                for (; other < bin_end; ++other) {
                    Key const beside = tile[other];
                    bool const is_before =
                        beside < key || (beside == key && other < at &&
                                         !kernel_has_fault(DeviceFault::bin_ties_collide));
                    place += is_before ? 1 : 0;
                }
            }
            keys_out[place] = decode_image(key, arrays.decode);
            if constexpr (is_value<Value>) {
                places[at] = static_cast<std::uint16_t>(place);
            }
        }
    }
    if constexpr (is_value<Value>) {
        auto* const ordered = reinterpret_cast<Value*>(leaf_bytes);
        __syncthreads();
        if (kernel_has_fault(DeviceFault::values_by_other_rank)) {
            values[0] = values[1];
        }
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                ordered[places[ranks.at(i)]] = values[i];
            }
        }
        __syncthreads();
        Value* const values_out = static_cast<Value*>(arrays.values_out) + begin;
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                values_out[i * threads + thread] = ordered[i * threads + thread];
            }
        }
    }
}

/// Sorts the leaves of one class by bins.
template <class Key, class Value>
void start_bins(cudaStream_t stream,
                ChildTable const& table,
                std::size_t leaf_class,
                std::uint32_t count,
                LeafArrays const& arrays) {
    if (count == 0) {
        return;
    }
    auto const threads = static_cast<unsigned>(leaf_sizes(sizeof(Key))[leaf_class]) /
                         static_cast<unsigned>(bin_items<Key>);
    auto const kernel = bin_leaf_kernel<Key, Value>;
    KEYSWAP_CUDA(cudaFuncSetAttribute(
        kernel,
        cudaFuncAttributeMaxDynamicSharedMemorySize,
        static_cast<int>(bin_bytes<Key, Value>(static_cast<std::size_t>(bin_threads_max)))));
    kernel<<<count, threads, bin_bytes<Key, Value>(threads), stream>>>(
        table, table.leaves + leaf_class * table.entries, arrays);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels::leaf_sort_detail
