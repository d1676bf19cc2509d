#include "kernels/primitives/steps/counting_sort.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/steps/stretch_fill.cuh"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int block_threads = 512;
constexpr std::uint32_t value_mask = (1U << counting_bits) - 1;
/// Words of counters: two narrow or one wide counter each; wide counters cover half of the values.
constexpr std::uint32_t counter_words = 1U << (counting_bits - 1);
constexpr std::uint32_t thread_words = counter_words / block_threads;
/// A word of padding after each thread's words keeps them in different banks.
constexpr std::uint32_t padded_words = counter_words + block_threads;
/// Keys held in a block's registers between counting and placing; ordered in shared memory. 512
/// threads with 32 keys each took 1.7 ms for 5e8 u32 keys on an H200, 1,024 with 16 each 2.0, and
/// writing each counter's copies instead of placing keys 1.8 (2026-11-21).
constexpr int thread_items = 32;
constexpr std::uint32_t block_keys = block_threads * thread_items;
constexpr int shared_bytes =
    padded_words * sizeof(std::uint32_t) + block_keys * sizeof(std::uint16_t);
using Scan = cub::BlockScan<std::uint32_t, block_threads>;

__device__ std::uint32_t slot_of(std::uint32_t word) {
    return word + word / thread_words;
}

/// Two 16-bit counters per word, for at most 65,535 keys.
struct NarrowCounters {
    /// Counts a value. \return its previous count
    static __device__ std::uint32_t add(std::uint32_t* words, std::uint32_t value) {
        std::uint32_t const shift = value % 2 * 16;
        return atomicAdd(&words[slot_of(value / 2)], 1U << shift) >> shift & 0xffffU;
    }
    static __device__ std::uint32_t sum(std::uint32_t word) {
        return (word & 0xffffU) + (word >> 16);
    }
    /// Exclusive prefix sums of a word's counts, given the sum before the word.
    static __device__ std::uint32_t before(std::uint32_t word, std::uint32_t sum) {
        return sum | (sum + (word & 0xffffU)) << 16;
    }
};

/// One counter per word, for any number of keys, in two rounds of half the values each.
struct WideCounters {
    static constexpr std::uint32_t values = counter_words;

    static __device__ std::uint32_t add(std::uint32_t* words, std::uint32_t value) {
        return atomicAdd(&words[slot_of(value)], 1U);
    }
    static __device__ std::uint32_t sum(std::uint32_t word) { return word; }
    static __device__ std::uint32_t before(std::uint32_t /*word*/, std::uint32_t sum) {
        return sum;
    }
};

/// Keys of a block that differ only in their lowest 15 bits.
struct Stretch {
    std::uint32_t const* keys_in;
    std::uint32_t* keys_out;
    std::uint32_t count;
    std::uint32_t high; ///< the bits shared by all keys
    ImageCode decode;

    template <bool coded>
    __device__ void write(std::uint32_t place, std::uint32_t value) const {
        std::uint32_t const key = high | value;
        keys_out[place] = coded ? decode_image(key, decode) : key;
    }
};

__device__ void clear(std::uint32_t* words) {
    static_assert(padded_words % 4 == 0);
    auto* const vectors = reinterpret_cast<uint4*>(words);
    for (std::uint32_t i = threadIdx.x; i < padded_words / 4; i += block_threads) {
        vectors[i] = make_uint4(0, 0, 0, 0);
    }
}

/// Replaces counts by their exclusive prefix sums plus `first`. \return the total sum
template <class Counters>
__device__ std::uint32_t sum_counts(std::uint32_t* words, std::uint32_t first) {
    __shared__ typename Scan::TempStorage storage;
    std::uint32_t* const own = words + threadIdx.x * (thread_words + 1);
    std::uint32_t own_sum = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < thread_words; ++i) {
        own_sum += Counters::sum(own[i]);
    }
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    Scan(storage).ExclusiveSum(own_sum, before, all);
    before += first;
#pragma unroll
    for (std::uint32_t i = 0; i < thread_words; ++i) {
        std::uint32_t const word = own[i];
        own[i] = Counters::before(word, before);
        before += Counters::sum(word);
    }
    return all;
}

/// Sorts up to block_keys keys; each is read once and written in order.
template <bool coded>
__device__ void sort_in_registers(std::uint32_t* words, Stretch const& stretch) {
    auto* const staged = reinterpret_cast<std::uint16_t*>(words + padded_words);
    auto const index_of = [](int i) { return i * block_threads + threadIdx.x; };
    std::uint32_t pairs[thread_items / 2]; // two values per register
#pragma unroll
    for (int i = 0; i < thread_items; i += 2) {
        std::uint32_t const a = index_of(i);
        std::uint32_t const b = index_of(i + 1);
        std::uint32_t const low = a < stretch.count ? stretch.keys_in[a] & value_mask : 0;
        std::uint32_t const high = b < stretch.count ? stretch.keys_in[b] & value_mask : 0;
        pairs[i / 2] = low | high << 16;
    }
    auto const value_of = [&pairs](int i) {
        return i % 2 == 0 ? pairs[i / 2] & 0xffffU : pairs[i / 2] >> 16;
    };
    __syncthreads(); // after clearing the counters
#pragma unroll
    for (int i = 0; i < thread_items; ++i) {
        if (index_of(i) < stretch.count) {
            NarrowCounters::add(words, value_of(i));
        }
    }
    __syncthreads();
    sum_counts<NarrowCounters>(words, 0);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < thread_items; ++i) {
        if (index_of(i) < stretch.count) {
            std::uint32_t const value = value_of(i);
            staged[NarrowCounters::add(words, value)] = static_cast<std::uint16_t>(value);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < thread_items; ++i) {
        std::uint32_t const at = index_of(i);
        if (at < stretch.count) {
            stretch.write<coded>(at, staged[at]);
        }
    }
}

/// Sorts the values in [lowest, lowest + counters) of a larger stretch, whose keys are read twice.
/// \param first offset of the first of these values \return offset after the last
template <bool coded>
__device__ std::uint32_t sort_from_memory(std::uint32_t* words,
                                          Stretch const& stretch,
                                          std::uint32_t lowest,
                                          std::uint32_t first) {
    auto const for_each_value = [&stretch, lowest](auto const& use) {
        for (std::uint32_t i = threadIdx.x; i < stretch.count; i += block_threads) {
            std::uint32_t const value = (stretch.keys_in[i] & value_mask) - lowest; // may wrap
            if (value < WideCounters::values) {
                use(value);
            }
        }
    };
    __syncthreads(); // after clearing the counters
    for_each_value([words](std::uint32_t value) { WideCounters::add(words, value); });
    __syncthreads();
    std::uint32_t const all = sum_counts<WideCounters>(words, first);
    __syncthreads();
    for_each_value([words, &stretch, lowest](std::uint32_t value) {
        stretch.write<coded>(WideCounters::add(words, value), lowest + value);
    });
    return first + all;
}

/// Grid: (512 digits, segments); a block sorts the keys of one digit.
template <bool coded>
__global__ void __launch_bounds__(block_threads, 2) counting_kernel(CountingSort sort) {
    extern __shared__ __align__(16) std::uint32_t words[];
    SegmentPart const segment = sort.segments[blockIdx.y];
    std::uint32_t const* const starts =
        sort.bins + static_cast<std::uint64_t>(blockIdx.y) * gridDim.x;
    std::uint32_t const begin = starts[blockIdx.x];
    std::uint32_t const end = blockIdx.x + 1 < gridDim.x
                                  ? starts[blockIdx.x + 1]
                                  : static_cast<std::uint32_t>(segment.count);
    if (begin == end) {
        return;
    }
    Stretch stretch;
    stretch.keys_in = sort.keys_in + segment.destination + begin;
    stretch.keys_out = sort.keys_out + segment.destination + begin;
    stretch.count = end - begin;
    stretch.high = stretch.keys_in[0] & ~value_mask;
    stretch.decode = sort.decode;
    clear(words);
    if (stretch.count <= block_keys) {
        sort_in_registers<coded>(words, stretch);
    } else if (stretch.count <= narrow_stretch_keys ||
               kernel_has_fault(DeviceFault::narrow_stretch)) {
        static_assert(block_threads == fill_threads && padded_words == narrow_padded_words);
        static_assert(sizeof(FillStorage) <= block_keys * sizeof(std::uint16_t));
        __shared__ std::uint32_t bounds[2];
        auto& storage = *reinterpret_cast<FillStorage*>(words + padded_words);
        sort_narrow_stretch(words,
                            storage,
                            bounds,
                            stretch.keys_in,
                            stretch.keys_out,
                            stretch.count,
                            coded ? sort.decode : ImageCode{});
    } else {
        std::uint32_t const half = sort_from_memory<coded>(words, stretch, 0, 0);
        __syncthreads();
        clear(words);
        sort_from_memory<coded>(words, stretch, WideCounters::values, half);
    }
}

} // namespace

void launch_counting_sort(cudaStream_t stream, CountingSort const& sort) {
    if (sort.segment_count == 0) {
        return;
    }
    upload_active_fault();
    auto* const kernel = sort.decode.is_identity() ? counting_kernel<false> : counting_kernel<true>;
    allow_shared_memory(kernel, shared_bytes);
    dim3 const grid{1U << wide_step_bits, sort.segment_count};
    kernel<<<grid, block_threads, shared_bytes, stream>>>(sort);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
