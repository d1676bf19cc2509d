#include "kernels/device/cuda_check.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/multisplit/warp_votes.cuh"
#include "kernels/primitives/element_types.cuh"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

/// As in the report: a block of 4 warps with 13 keys per thread.
constexpr int split_threads = 128;
constexpr int split_items = 13;
constexpr std::uint32_t split_tile = split_threads * split_items;
/// An element of a tile: its label above its position in the input tile.
constexpr int place_bits = 16;
static_assert(split_tile <= 1U << place_bits && bit_split_buckets_max <= 1U << place_bits);

using SplitScan = cub::BlockScan<std::uint32_t, split_threads, cub::BLOCK_SCAN_RAKING>;

/// Counts a tile's keys by bucket in shared memory and writes them as a column of the table.
template <class Key>
__global__ void __launch_bounds__(split_threads) tile_counts_kernel(Key const* keys,
                                                                    std::uint64_t count,
                                                                    AnyRule<Key> rule,
                                                                    std::uint32_t* table) {
    extern __shared__ std::uint32_t by_bucket[]; // [m]
    std::uint32_t const buckets = rule.rule.buckets;
    for (std::uint32_t bucket = threadIdx.x; bucket < buckets; bucket += split_threads) {
        by_bucket[bucket] = 0;
    }
    __syncthreads();
    std::uint64_t const begin = blockIdx.x * static_cast<std::uint64_t>(split_tile);
#pragma unroll
    for (int i = 0; i < split_items; ++i) {
        std::uint64_t const at = begin + i * split_threads + threadIdx.x;
        if (at < count) {
            atomicAdd(&by_bucket[rule(keys[at], at)], 1U);
        }
    }
    __syncthreads();
    for (std::uint32_t bucket = threadIdx.x; bucket < buckets; bucket += split_threads) {
        table[bucket * static_cast<std::uint64_t>(gridDim.x) + blockIdx.x] = by_bucket[bucket];
    }
}

/// One stable split of a tile by a bit. Each thread scans its elements, the block scans the
/// threads' sums; a zero moves down by the number of ones before it, a one to behind all zeros.
/// Source: Satish et al., section 3.1 (the split by a vertical scan).
/// \param elements [split_tile] shared memory, reordered
__device__ void split_by_bit(std::uint32_t* elements, SplitScan::TempStorage& storage, int bit) {
    std::uint32_t const first = threadIdx.x * split_items;
    std::uint32_t own[split_items];
    std::uint32_t is_one[split_items];
    std::uint32_t ones_before[split_items];
#pragma unroll
    for (int i = 0; i < split_items; ++i) {
        own[i] = elements[first + i];
        is_one[i] = own[i] >> bit & 1U;
    }
    std::uint32_t ones = 0;
    SplitScan(storage).ExclusiveSum(is_one, ones_before, ones);
    __syncthreads(); // all threads have read; storage can be reused
    std::uint32_t const zeros = split_tile - ones;
    std::uint32_t const forgotten =
        kernel_has_fault(DeviceFault::split_thread_sums_lost) ? ones_before[0] : 0;
#pragma unroll
    for (int i = 0; i < split_items; ++i) {
        std::uint32_t const before = ones_before[i] - forgotten;
        std::uint32_t rank = is_one[i] != 0 ? zeros + before : first + i - before;
        if (kernel_has_fault(DeviceFault::split_ranks_inclusive)) {
            rank = (rank + is_one[i]) % split_tile;
        }
        elements[rank] = own[i];
    }
    __syncthreads();
}

template <class Key, class Value>
struct TileArrays : TypedArrays<Key, Value> {
    std::uint32_t const* table; ///< scanned: [m][tiles], bucket-major
};

/// A block sorts its tile by one-bit splits of labels with positions instead of keys and values,
/// then writes it in order.
/// \param times to run the splits; a second run restores the same order
template <class Key, class Value>
__global__ void __launch_bounds__(split_threads)
    bit_split_kernel(TileArrays<Key, Value> arrays, AnyRule<Key> rule, int bits, int times) {
    constexpr std::size_t staged_bytes = sizeof(Key) > sizeof(Value) ? sizeof(Key) : sizeof(Value);
    __shared__ typename SplitScan::TempStorage scan_storage;
    __shared__ std::uint32_t elements[split_tile];
    __shared__ __align__(8) unsigned char staged[split_tile * staged_bytes];
    extern __shared__ std::uint32_t base[]; // [m]; may wrap below zero, adding the rank undoes it
    std::uint64_t const begin = blockIdx.x * static_cast<std::uint64_t>(split_tile);
    auto* const staged_keys = reinterpret_cast<Key*>(staged);
#pragma unroll
    for (int i = 0; i < split_items; ++i) {
        std::uint32_t const place = i * split_threads + threadIdx.x;
        std::uint64_t const at = begin + place;
        Key const key = at < arrays.count ? arrays.keys_in[at] : Key{0};
        staged_keys[place] = key;
        elements[place] = label_or_last(rule, key, at, arrays.count) << place_bits | place;
    }
    __syncthreads();
    if (kernel_has_fault(DeviceFault::split_bit_left_out)) {
        --bits;
    }
    for (int time = 0; time < times; ++time) {
        for (int bit = 0; bit < bits; ++bit) {
            split_by_bit(elements, scan_storage, place_bits + bit);
        }
    }
    // Begin of each bucket's run in the tile.
#pragma unroll
    for (int i = 0; i < split_items; ++i) {
        std::uint32_t const rank = i * split_threads + threadIdx.x;
        std::uint32_t const label = elements[rank] >> place_bits;
        if (rank == 0 || elements[rank - 1] >> place_bits != label) {
            base[label] =
                arrays.table[label * static_cast<std::uint64_t>(gridDim.x) + blockIdx.x] - rank;
        }
    }
    __syncthreads();
    constexpr std::uint32_t place_mask = (1U << place_bits) - 1;
    auto const for_each_place = [&](auto const& write) {
#pragma unroll
        for (int i = 0; i < split_items; ++i) {
            std::uint32_t const rank = i * split_threads + threadIdx.x;
            std::uint32_t const element = elements[rank];
            std::uint32_t const to = base[element >> place_bits] + rank;
            // Positions beyond the input's end come last in the tile.
            if (begin + rank < arrays.count && is_place(to, arrays.count)) {
                write(element & place_mask, to);
            }
        }
    };
    for_each_place(
        [&](std::uint32_t place, std::uint32_t to) { arrays.keys_out[to] = staged_keys[place]; });
    if constexpr (is_value<Value>) {
        __syncthreads(); // after the keys are written
        auto* const staged_values = reinterpret_cast<Value*>(staged);
#pragma unroll
        for (int i = 0; i < split_items; ++i) {
            std::uint32_t const place = i * split_threads + threadIdx.x;
            if (begin + place < arrays.count) {
                staged_values[place] = arrays.values_in[begin + place];
            }
        }
        __syncthreads();
        for_each_place([&](std::uint32_t place, std::uint32_t to) {
            arrays.values_out[to] = staged_values[place];
        });
    }
}

std::uint64_t tiles_of(std::uint64_t count) {
    return (count + split_tile - 1) / split_tile;
}

} // namespace

std::uint32_t bit_split_tile_keys() {
    return split_tile;
}

std::size_t bit_split_scratch_bytes(std::uint64_t count, std::uint32_t buckets) {
    return table_scan_bytes(tiles_of(count) * buckets);
}

void launch_tile_counts(cudaStream_t stream,
                        OutOfPlaceArrays const& arrays,
                        DeviceRule const& rule,
                        std::uint32_t* table) {
    upload_active_fault();
    auto const tiles = static_cast<unsigned>(tiles_of(arrays.count));
    with_key_type(arrays.shape.key_bytes, [&]<class Key>() {
        tile_counts_kernel<Key>
            <<<tiles, split_threads, rule.buckets * sizeof(std::uint32_t), stream>>>(
                static_cast<Key const*>(arrays.keys_in), arrays.count, AnyRule<Key>(rule), table);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_bit_split(cudaStream_t stream,
                      OutOfPlaceArrays const& arrays,
                      DeviceRule const& rule,
                      std::uint32_t const* table,
                      int times) {
    upload_active_fault();
    auto const tiles = static_cast<unsigned>(tiles_of(arrays.count));
    with_element_types(arrays.shape, [&]<class Key, class Value>() {
        TileArrays<Key, Value> const typed{TypedArrays<Key, Value>(arrays), table};
        bit_split_kernel<Key, Value>
            <<<tiles, split_threads, rule.buckets * sizeof(std::uint32_t), stream>>>(
                typed, AnyRule<Key>(rule), vote_rounds(rule.buckets), times);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
