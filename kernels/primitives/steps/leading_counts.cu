#include "kernels/primitives/steps/leading_counts.hpp"

#include "kernels/device/multiprocessors.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/key_words.hpp"
#include "traces/errors/contracts.hpp"

#include <cub/block/block_scan.cuh>

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr int count_threads = 1024;
constexpr int loads = 8; // in flight per thread, while the ones before are counted
constexpr std::uint32_t group_keys = count_threads * loads;
constexpr int warp_size = 32;
constexpr std::uint32_t whole_warp = 0xffffffffU;
/// Equal leading bits among a warp's keys that are added together, as in sorted keys.
constexpr int least_run = 8;
constexpr int digit_threads = 256;
/// Blocks of the kernel that sums counts by digit, or counts again; a power of two.
constexpr unsigned digit_blocks = 512;
constexpr int bins_threads = 1024;

template <class Key>
constexpr int bits_of_key = leading_bits(sizeof(Key));
template <class Key>
constexpr std::uint32_t values_of_key = leading_values(sizeof(Key));

template <class Key>
__device__ std::uint32_t leading_of(Key key) {
    return static_cast<std::uint32_t>(key >>
                                      (static_cast<int>(sizeof(Key)) * 8 - bits_of_key<Key>));
}

template <class Key, bool coded>
__device__ std::uint32_t leading_of_raw(Key key, ImageCode code) {
    return leading_of(coded ? encode_image(key, code) : key);
}

/// A block's narrow counters, in shared memory. A counter is exact until a thread sees it overflow:
/// the atomic of the first thread that exceeds its range returns the end of the range.
template <class Key>
class BlockCounters {
    static constexpr std::uint32_t values = values_of_key<Key>;
    /// 2^17 counters of 8 bits in 128 KiB, or 2^18 of 6 bits in 205 KiB.
    static constexpr std::uint32_t bits = sizeof(Key) == 8 ? 6 : 8;
    static constexpr std::uint32_t per_word = 32 / bits;
    static constexpr std::uint32_t words = (values + per_word - 1) / per_word;
    static constexpr std::uint32_t most = (1U << bits) - 1;
    /// A counter that reaches this passes as much on to the counts of all blocks.
    static constexpr std::uint32_t carried = 1U << (bits - 1);

  public:
    static constexpr int shared_bytes = words * sizeof(std::uint32_t);

    __device__ BlockCounters(std::uint32_t* shared, LeadingCounts const& counts)
        : words_(shared), counts_(counts) {}

    __device__ void clear() const {
        for (std::uint32_t i = threadIdx.x; i < words; i += count_threads) {
            words_[i] = 0;
        }
    }

    __device__ void add(std::uint32_t leading) const {
        std::uint32_t& word = words_[leading / per_word];
        std::uint32_t const shift = leading % per_word * bits;
        std::uint32_t const before = atomicAdd(&word, 1U << shift) >> shift & most;
        if (before >= carried - 1) {
            if (before == carried - 1) {
                atomicSub(&word, carried << shift);
                if (!kernel_has_fault(DeviceFault::leading_carry_lost)) {
                    atomicAdd(&counts_.counts()[leading], carried);
                }
            } else if (before == most) {
                counts_.overflowed() = 1;
            }
        }
    }

    /// Adds the counters to those of all blocks, two at a time.
    __device__ void flush() const {
        auto* const pairs = reinterpret_cast<unsigned long long*>(counts_.counts());
        auto const at = [this](std::uint32_t i) {
            return words_[i / per_word] >> i % per_word * bits & most;
        };
        for (std::uint32_t i = threadIdx.x; i < values / 2; i += count_threads) {
            unsigned long long const high = at(2 * i + 1);
            unsigned long long const pair = high << 32 | at(2 * i);
            if (pair != 0) {
                atomicAdd(&pairs[i], pair);
            }
        }
    }

  private:
    std::uint32_t* words_;
    LeadingCounts counts_;
};

/// Counts equal leading bits of a warp's keys together, without the block's counters, where the
/// threads would wait for each other.
class WarpRun {
  public:
    __device__ explicit WarpRun(std::uint32_t* counts) : counts_(counts) {}

    /// Called by all threads of a warp. \return true if the thread's key is counted
    __device__ bool add(std::uint32_t leading) {
        std::uint32_t equal = __ballot_sync(whole_warp, leading == leading_);
        if (__popc(equal) < warp_size / 2) {
            flush();
            leading_ = __shfl_sync(whole_warp, leading, lane_of_run(leading));
            equal = __ballot_sync(whole_warp, leading == leading_);
        }
        keys_ += __popc(equal);
        return leading == leading_;
    }
    __device__ void flush() {
        if (keys_ > 0 && threadIdx.x % warp_size == 0) {
            atomicAdd(&counts_[leading_], keys_);
        }
        keys_ = 0;
    }
    /// True if many of a warp's keys have the leading bits of a neighbour.
    static __device__ bool may_add(std::uint32_t leading) {
        return __popc(lanes_in_runs(leading)) >= least_run;
    }

  private:
    /// Lanes whose leading bits are those of the other lane of their pair.
    static __device__ std::uint32_t lanes_in_runs(std::uint32_t leading) {
        return __ballot_sync(whole_warp, leading == __shfl_xor_sync(whole_warp, leading, 1));
    }
    /// A lane in a run, of the upper half if there is one. A lane that is always the same would be
    /// outside any run in some warps of nearly sorted keys; all their keys would go to one counter.
    static __device__ int lane_of_run(std::uint32_t leading) {
        std::uint32_t const lanes = lanes_in_runs(leading);
        std::uint32_t const upper = lanes >> (warp_size / 2);
        return upper != 0 ? warp_size / 2 + __ffs(static_cast<int>(upper)) - 1
                          : max(__ffs(static_cast<int>(lanes)) - 1, 0);
    }

    std::uint32_t* counts_;
    std::uint32_t leading_ = 0;
    std::uint32_t keys_ = 0;
};

template <class Key, bool coded>
__global__ void __launch_bounds__(count_threads, 1) leading_count_kernel(Key const* keys,
                                                                         std::uint64_t count,
                                                                         ImageCode code,
                                                                         LeadingCounts counts) {
    extern __shared__ __align__(16) std::uint32_t words[];
    BlockCounters<Key> const counters{words, counts};
    counters.clear();
    __syncthreads();
    WarpRun run{counts.counts()};
    std::uint64_t const stride = std::uint64_t{group_keys} * gridDim.x;
    std::uint64_t begin = std::uint64_t{group_keys} * blockIdx.x;
    // A warp's loads are consecutive, so that they have few leading bits if keys are sorted.
    std::uint32_t const warp_begin =
        threadIdx.x / warp_size * (warp_size * loads) + threadIdx.x % warp_size;
    Key next[loads];
    auto const load = [&next, keys, count, warp_begin](std::uint64_t from) {
        bool const is_whole = from + group_keys <= count;
        if (is_whole) {
#pragma unroll
            for (int i = 0; i < loads; ++i) {
                next[i] = keys[from + warp_begin + i * warp_size];
            }
        }
        return is_whole;
    };
    bool is_whole = load(begin);
    while (is_whole) {
        std::uint32_t leading[loads];
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            leading[i] = leading_of_raw<Key, coded>(next[i], code);
        }
        begin += stride;
        is_whole = load(begin);
        bool const may_be_sorted = WarpRun::may_add(leading[0]);
#pragma unroll
        for (int i = 0; i < loads; ++i) {
            if (!may_be_sorted || !run.add(leading[i])) {
                counters.add(leading[i]);
            }
        }
    }
    run.flush();
    for (std::uint64_t i = begin + threadIdx.x; i < count; i += count_threads) {
        atomicAdd(&counts.counts()[leading_of_raw<Key, coded>(keys[i], code)], 1U);
    }
    __syncthreads();
    counters.flush();
}

template <class Key>
__global__ void __launch_bounds__(digit_threads) leading_digits_kernel(Key const* keys,
                                                                       std::uint64_t count,
                                                                       ImageCode code,
                                                                       LeadingCounts counts,
                                                                       int bits,
                                                                       std::uint64_t* digits) {
    __shared__ std::uint32_t counters[1 << wide_step_bits];
    std::uint32_t const digit_count = 1U << bits;
    int const below = bits_of_key<Key> - bits;
    for (std::uint32_t i = threadIdx.x; i < digit_count; i += digit_threads) {
        counters[i] = 0;
    }
    __syncthreads();
    if (counts.overflowed() == 0) {
        std::uint32_t const part = values_of_key<Key> / gridDim.x;
        for (std::uint32_t i = threadIdx.x; i < part; i += digit_threads) {
            std::uint32_t const leading = blockIdx.x * part + i;
            atomicAdd(&counters[leading >> below], counts.counts()[leading]);
        }
    } else {
        std::uint64_t const stride = std::uint64_t{digit_threads} * gridDim.x;
        for (std::uint64_t i = blockIdx.x * std::uint64_t{digit_threads} + threadIdx.x; i < count;
             i += stride) {
            atomicAdd(&counters[leading_of(encode_image(keys[i], code)) >> below], 1U);
        }
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < digit_count; i += digit_threads) {
        if (counters[i] != 0) {
            atomicAdd(reinterpret_cast<unsigned long long*>(&digits[i]),
                      static_cast<unsigned long long>(counters[i]));
        }
    }
}

__global__ void __launch_bounds__(digit_threads) leading_sum_kernel(std::uint32_t const* rows,
                                                                    std::uint32_t row_count,
                                                                    std::uint32_t words,
                                                                    std::uint32_t* sum) {
    std::uint32_t const i = blockIdx.x * digit_threads + threadIdx.x;
    if (i < words) {
        std::uint32_t all = 0;
        for (std::uint32_t row = 0; row < row_count; ++row) {
            all += rows[std::uint64_t{row} * words + i];
        }
        sum[i] = all;
    }
}

/// Grid: a block for each segment.
template <class Key, int bin_count>
__global__ void __launch_bounds__(bins_threads) leading_bins_kernel(LeadingBins all_bins) {
    PartTable const& segments = all_bins.segments;
    LeadingCounts const& counts = all_bins.counts;
    using Scan = cub::BlockScan<std::uint32_t, bins_threads>;
    __shared__ typename Scan::TempStorage storage;
    __shared__ std::uint32_t sums[bin_count];
    std::uint32_t first_part = 0;
    for (std::uint32_t end = segments.part_count; first_part < end;) {
        std::uint32_t const middle = first_part + (end - first_part) / 2;
        if (segments.parts[middle].segment < blockIdx.x) {
            first_part = middle + 1;
        } else {
            end = middle;
        }
    }
    SegmentPart const part = segments.parts[first_part];
    std::uint64_t count = 0;
    for (std::uint32_t i = first_part;
         i < segments.part_count && segments.parts[i].segment == blockIdx.x;
         ++i) {
        count += segments.parts[i].count;
    }
    BitWindow const digit = part.digit.or_else(all_bins.window);
    int const shared_bits = static_cast<int>(sizeof(Key)) * 8 - digit.end;
    int const segment_bits = bits_of_key<Key> - shared_bits;
    int const bits_in_bin = segment_bits - (digit.end - digit.begin);
    if (threadIdx.x < bin_count) {
        sums[threadIdx.x] = 0;
    }
    __syncthreads();
    if (bits_in_bin >= 0) {
        std::uint32_t const first = leading_of(all_bins.keys.of<Key>(part.buffer)[part.source]);
        std::uint32_t const* const own = counts.counts() + (first >> segment_bits << segment_bits);
        if (1 << bits_in_bin >= 2 * warp_size) {
            // A warp adds to one bin. Counts begin at an even word.
            auto const* const pairs = reinterpret_cast<uint2 const*>(own);
#pragma unroll 16
            for (std::uint32_t i = threadIdx.x; i < 1U << (segment_bits - 1); i += bins_threads) {
                uint2 const pair = pairs[i];
                std::uint32_t const of_warp = __reduce_add_sync(whole_warp, pair.x + pair.y);
                if (threadIdx.x % warp_size == 0) {
                    atomicAdd(&sums[2 * i >> bits_in_bin], of_warp);
                }
            }
        } else {
            for (std::uint32_t i = threadIdx.x; i < 1U << segment_bits; i += bins_threads) {
                atomicAdd(&sums[i >> bits_in_bin], own[i]);
            }
        }
    }
    __syncthreads();
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    Scan(storage).ExclusiveSum(threadIdx.x < bin_count ? sums[threadIdx.x] : 0, before, all);
    bool const is_known = all == count && counts.overflowed() == 0;
    if (threadIdx.x < bin_count) {
        all_bins.bins[static_cast<std::uint64_t>(blockIdx.x) * bin_count + threadIdx.x] =
            is_known ? before : 0;
    }
    if (threadIdx.x == 0) {
        all_bins.known[blockIdx.x] = is_known ? 1 : 0;
    }
}

template <class Key>
void start_counts(cudaStream_t stream, RawKeys const& keys, LeadingCounts const& counts) {
    auto* const kernel = keys.code.is_identity() ? leading_count_kernel<Key, false>
                                                 : leading_count_kernel<Key, true>;
    constexpr int shared_bytes = BlockCounters<Key>::shared_bytes;
    allow_shared_memory(kernel, shared_bytes);
    std::uint64_t const groups = (keys.count + group_keys - 1) / group_keys;
    auto const blocks = static_cast<unsigned>(
        std::clamp<std::uint64_t>(groups, 1, static_cast<unsigned>(multiprocessor_count())));
    kernel<<<blocks, count_threads, shared_bytes, stream>>>(
        static_cast<Key const*>(keys.keys), keys.count, keys.code, counts);
}

} // namespace

bool can_count_leading_bits(int device, int key_bytes) {
    int bytes = 0;
    KEYSWAP_CUDA(cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    return bytes >=
           with_key_type(key_bytes, [&]<class Key>() { return BlockCounters<Key>::shared_bytes; });
}

void launch_leading_counts(cudaStream_t stream, RawKeys const& keys, LeadingCounts const& counts) {
    upload_active_fault();
    clear_array(stream, counts.words, leading_words(keys.key_bytes));
    with_key_type(keys.key_bytes, [&]<class Key>() { start_counts<Key>(stream, keys, counts); });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_leading_digits(cudaStream_t stream,
                           RawKeys const& keys,
                           LeadingCounts const& counts,
                           int bits,
                           std::uint64_t* digits) {
    KEYSWAP_EXPECTS(bits <= wide_step_bits);
    clear_array(stream, digits, std::size_t{1} << bits);
    with_key_type(keys.key_bytes, [&]<class Key>() {
        leading_digits_kernel<<<digit_blocks, digit_threads, 0, stream>>>(
            static_cast<Key const*>(keys.keys), keys.count, keys.code, counts, bits, digits);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_leading_sum(cudaStream_t stream,
                        int key_bytes,
                        std::uint32_t const* rows,
                        std::uint32_t row_count,
                        LeadingCounts const& sum) {
    auto const words = static_cast<std::uint32_t>(leading_words(key_bytes));
    leading_sum_kernel<<<(words + digit_threads - 1) / digit_threads, digit_threads, 0, stream>>>(
        rows, row_count, words, sum.words);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_leading_bins(cudaStream_t stream, int key_bytes, LeadingBins const& bins) {
    if (bins.segments.segment_count == 0) {
        return;
    }
    with_key_type(key_bytes, [&]<class Key>() {
        auto* const kernel = bins.digit_bits == wide_step_bits
                                 ? leading_bins_kernel<Key, 1 << wide_step_bits>
                                 : leading_bins_kernel<Key, step_bins>;
        kernel<<<bins.segments.segment_count, bins_threads, 0, stream>>>(bins);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
