#pragma once

/// \file Writes the keys of a stretch from the offsets of its values, and sorts a stretch whose
/// counters fit one block's shared memory.

#include "kernels/device/key_image.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/segment_limits.hpp"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

inline constexpr int warp_size = 32;
inline constexpr std::uint32_t stretch_mask = stretch_values - 1;

inline constexpr int fill_threads = 512;
inline constexpr int fill_items = stretch_fill_keys / fill_threads;
static_assert(fill_items == 16, "a thread reads 32 bytes of marks");
using FillScan = cub::BlockScan<std::uint32_t, fill_threads>;

struct Larger {
    __device__ std::uint32_t operator()(std::uint32_t a, std::uint32_t b) const {
        return a < b ? b : a;
    }
};

/// Shared memory of writing blocks: marks[i] is the value whose keys begin at offset i.
struct FillStorage {
    __align__(16) std::uint16_t marks[stretch_fill_keys];
    typename FillScan::TempStorage scan;
};

/// The last value that begins at or before `place`, found by a warp: three steps of 32 ways instead
/// of 15 of two. \param begin_of (value): offset of its first key, non-decreasing, 0 for the first
template <class BeginOf>
__device__ std::uint32_t value_at(BeginOf begin_of, std::uint32_t place) {
    static_assert(stretch_values == warp_size * warp_size * warp_size);
    constexpr std::uint32_t whole_warp = 0xffffffffU;
    std::uint32_t const lane = threadIdx.x % warp_size;
    std::uint32_t value = 0;
#pragma unroll
    for (std::uint32_t step = warp_size * warp_size; step > 0; step /= warp_size) {
        std::uint32_t const begun =
            __ballot_sync(whole_warp, begin_of(value + lane * step) <= place);
        value += static_cast<std::uint32_t>(31 - __clz(static_cast<int>(begun))) * step;
    }
    return value;
}

/// Writes offsets [begin, end) of a stretch, at most stretch_fill_keys. Called by all threads of
/// the block; `bounds` is shared. \param write (offset, value)
template <class BeginOf, class Write>
__device__ void fill_places(FillStorage& storage,
                            std::uint32_t* bounds,
                            BeginOf begin_of,
                            std::uint32_t begin,
                            std::uint32_t end,
                            Write write) {
    auto const thread = static_cast<std::uint32_t>(threadIdx.x);
    if (thread / warp_size < 2) {
        std::uint32_t const value = value_at(begin_of, thread / warp_size == 0 ? begin : end - 1);
        if (thread % warp_size == 0) {
            bounds[thread / warp_size] = value;
        }
    }
    auto* const vectors = reinterpret_cast<uint4*>(storage.marks);
    vectors[2 * thread] = make_uint4(0, 0, 0, 0);
    vectors[2 * thread + 1] = make_uint4(0, 0, 0, 0);
    __syncthreads();
    std::uint32_t const first = bounds[0];
    std::uint32_t const last = bounds[1];
    // Of values with equal begins, all but the last have no keys.
    for (std::uint32_t value = first + 1 + thread; value <= last; value += fill_threads) {
        std::uint32_t const at = begin_of(value);
        bool const has_keys = value == last || begin_of(value + 1) > at;
        if (has_keys && at - begin < end - begin) {
            storage.marks[at - begin] = static_cast<std::uint16_t>(value);
        }
    }
    if (thread == 0 && !kernel_has_fault(DeviceFault::fill_begins_at_zero)) {
        storage.marks[0] = static_cast<std::uint16_t>(first);
    }
    __syncthreads();
    std::uint32_t values[fill_items];
    std::uint32_t largest = 0;
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        uint4 const four = vectors[2 * thread + half];
        std::uint32_t const words[4] = {four.x, four.y, four.z, four.w};
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            std::uint32_t const mark = i % 2 == 0 ? words[i / 2] & 0xffffU : words[i / 2] >> 16;
            largest = largest < mark ? mark : largest;
            values[half * 8 + i] = largest;
        }
    }
    std::uint32_t before = 0;
    FillScan(storage.scan).ExclusiveScan(largest, before, 0U, Larger{});
#pragma unroll
    for (int half = 0; half < 2; ++half) {
        std::uint32_t words[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            std::uint32_t const low = Larger{}(values[half * 8 + 2 * i], before);
            std::uint32_t const high = Larger{}(values[half * 8 + 2 * i + 1], before);
            words[i] = low | high << 16;
        }
        vectors[2 * thread + half] = make_uint4(words[0], words[1], words[2], words[3]);
    }
    __syncthreads();
    for (std::uint32_t place = begin + thread; place < end; place += fill_threads) {
        write(place, static_cast<std::uint32_t>(storage.marks[place - begin]));
    }
    __syncthreads(); // before marks and bounds are reused
}

/// Counts a tile; the hardware combines equal values of a warp, as in histograms.
template <int threads, class Count>
__device__ void count_tile(std::uint32_t const* keys, std::uint32_t count, Count count_value) {
    constexpr int loads = 8; // in flight per thread
    std::uint32_t i = threadIdx.x;
    for (; i + (loads - 1) * threads < count; i += loads * threads) {
        std::uint32_t loaded[loads];
#pragma unroll
        for (int j = 0; j < loads; ++j) {
            loaded[j] = keys[i + j * threads];
        }
#pragma unroll
        for (int j = 0; j < loads; ++j) {
            count_value(loaded[j] & stretch_mask);
        }
    }
    for (; i < count; i += threads) {
        count_value(keys[i] & stretch_mask);
    }
}

/// 16-bit counters, two per word, and padding after each thread's words.
inline constexpr std::uint32_t narrow_words = stretch_values / 2;
inline constexpr std::uint32_t narrow_thread_words = narrow_words / fill_threads;
inline constexpr std::uint32_t narrow_padded_words = narrow_words + fill_threads;

__device__ inline std::uint32_t narrow_slot(std::uint32_t value) {
    std::uint32_t const word = value / 2;
    return word + word / narrow_thread_words;
}

/// Sorts at most narrow_stretch_keys keys of one stretch. Called by all threads of the block.
/// \param words shared, [narrow_padded_words], zero \param bounds shared, [2]
/// \param keys_in may equal keys_out
__device__ inline void sort_narrow_stretch(std::uint32_t* words,
                                           FillStorage& storage,
                                           std::uint32_t* bounds,
                                           std::uint32_t const* keys_in,
                                           std::uint32_t* keys_out,
                                           std::uint32_t count,
                                           ImageCode decode) {
    std::uint32_t const high = keys_in[0] & ~stretch_mask;
    __syncthreads(); // after clearing the counters
    count_tile<fill_threads>(keys_in, count, [words](std::uint32_t value) {
        atomicAdd(&words[narrow_slot(value)], 1U << value % 2 * 16);
    });
    __syncthreads();
    std::uint32_t* const own = words + threadIdx.x * (narrow_thread_words + 1);
    std::uint32_t own_sum = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < narrow_thread_words; ++i) {
        own_sum += (own[i] & 0xffffU) + (own[i] >> 16);
    }
    std::uint32_t before = 0;
    FillScan(storage.scan).ExclusiveSum(own_sum, before);
#pragma unroll
    for (std::uint32_t i = 0; i < narrow_thread_words; ++i) {
        std::uint32_t const word = own[i];
        std::uint32_t const between = before + (word & 0xffffU);
        own[i] = before | between << 16;
        before = between + (word >> 16);
    }
    __syncthreads();
    auto const begin_of = [words](std::uint32_t value) {
        return words[narrow_slot(value)] >> value % 2 * 16 & 0xffffU;
    };
    for (std::uint32_t begin = 0; begin < count; begin += stretch_fill_keys) {
        fill_places(storage,
                    bounds,
                    begin_of,
                    begin,
                    min(count, begin + stretch_fill_keys),
                    [=](std::uint32_t place, std::uint32_t value) {
                        keys_out[place] = decode_image(high | value, decode);
                    });
    }
}

} // namespace keyswap::kernels
