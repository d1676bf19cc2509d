#include "kernels/device/cuda_check.hpp"
#include "kernels/device/multiprocessors.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"

#include <algorithm>
#include <cub/block/block_reduce.cuh>
#include <type_traits>

namespace keyswap::kernels {

namespace {

constexpr int histogram_threads = 512;
constexpr int loads_per_thread = 4;
static_assert(histogram_threads * loads_per_thread * sizeof(uint4) == histogram_tile_bytes);
/// Up to 8-bit digits, counters are kept twice, so that only half of a block's warps share one.
constexpr int histogram_copies_bits_max = 8;
/// Two blocks of 512 threads per SM keep 64 KiB of loads in flight; at most 4 are resident.
constexpr int histogram_blocks_per_sm = 4;
constexpr int fold_threads = 256;

/// Counter of a key of a part: that of its digit.
template <class Word>
class DigitCounters {
  public:
    static constexpr bool counts_all = true;
    struct Shared {};
    struct Argument {};
    __device__ DigitCounters(Argument const& /*argument*/, DigitWindow window, Shared& /*shared*/)
        : window_(window) {}
    [[nodiscard]] static std::uint32_t rows(Argument const& /*argument*/) { return 1; }
    [[nodiscard]] __device__ std::uint32_t of(Word image) const {
        return static_cast<std::uint32_t>(image >> window_.shift) & ((1U << window_.bits) - 1U);
    }

  private:
    DigitWindow window_;
};

/// Counter of a key in one of several ranges; each range has a row of digits.
template <class Word>
class RangeCounters {
  public:
    static constexpr bool counts_all = false;
    static constexpr std::uint32_t none = 0xffffffffU;
    struct Shared {
        Word lowest[spanning_bucket_count_max];
        Word highest[spanning_bucket_count_max];
    };
    using Argument = CountedRanges;
    __device__ RangeCounters(Argument const& ranges, DigitWindow window, Shared& shared)
        : digits_({}, window, none_), shared_(shared), count_(ranges.count),
          row_(1U << window.bits) {
        for (std::uint32_t i = threadIdx.x; i < ranges.count; i += blockDim.x) {
            shared.lowest[i] = static_cast<Word>(ranges.lowest[i]);
            shared.highest[i] = static_cast<Word>(ranges.highest[i]);
        }
    }
    [[nodiscard]] static std::uint32_t rows(Argument const& ranges) { return ranges.count; }
    [[nodiscard]] __device__ std::uint32_t of(Word image) const {
        std::uint32_t low = 0;
        std::uint32_t high = count_;
        while (low + 1 < high) {
            std::uint32_t const middle = (low + high) / 2;
            (shared_.lowest[middle] <= image ? low : high) = middle;
        }
        bool const lies_in = shared_.lowest[low] <= image && image <= shared_.highest[low];
        return lies_in ? low * row_ + digits_.of(image) : none;
    }

  private:
    typename DigitCounters<Word>::Shared none_;
    DigitCounters<Word> digits_;
    Shared& shared_;
    std::uint32_t count_;
    std::uint32_t row_;
};

/// Counter of a key in the deepest node that contains it.
template <class Word>
class TreeCounters {
  public:
    struct Shared {
        std::uint8_t children[digit_nodes_max << 8];
    };
    using Argument = CountedNodes;
    __device__ TreeCounters(Argument const& nodes, DigitWindow window, Shared& shared)
        : shared_(shared), depth_(nodes.depth), bits_(window.bits) {
        for (std::uint32_t i = threadIdx.x; i < nodes.count << bits_; i += blockDim.x) {
            shared.children[i] = nodes.children[i];
        }
    }
    [[nodiscard]] static std::uint32_t rows(Argument const& nodes) { return nodes.count; }
    /// Counters of several keys, which descend the tree in parallel to hide latency. Digits
    /// are shifted to the top of the word one by one; a narrower last one is followed by
    /// zeros.
    template <int count>
    __device__ void of(Word const (&images)[count], std::uint32_t (&indices)[count]) const {
        int const below = static_cast<int>(sizeof(Word)) * 8 - bits_;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            indices[i] = static_cast<std::uint32_t>(images[i] >> below);
        }
        for (int lead = bits_; lead < depth_ * bits_; lead += bits_) {
#pragma unroll
            for (int i = 0; i < count; ++i) {
                std::uint32_t const child = shared_.children[indices[i]];
                auto const digit =
                    static_cast<std::uint32_t>(static_cast<Word>(images[i] << lead) >> below);
                indices[i] = child == 0 ? indices[i] : (child << bits_) + digit;
            }
        }
    }

  private:
    Shared& shared_;
    int depth_;
    int bits_;
};

template <class Word>
[[nodiscard]] __device__ Word counted_image(Word key, ImageCode encode) {
    Word const image = encode_image(key, encode);
    return kernel_has_fault(DeviceFault::narrow_key)
               ? static_cast<Word>(static_cast<std::uint32_t>(image))
               : image;
}

__device__ void raise(std::uint32_t* counters, std::uint32_t index) {
    if (kernel_has_fault(DeviceFault::lost_atomics)) {
        counters[index] += 1U;
        return;
    }
    // An atomic without a used result lets the hardware combine equal digits of a warp, so that a
    // single hot digit costs no more than evenly distributed ones.
    atomicAdd(&counters[index], 1U);
}

template <class Word, class Counters>
__device__ void
count_word(std::uint32_t* counters, Word key, ImageCode encode, Counters const& counter) {
    if constexpr (std::is_same_v<Counters, TreeCounters<Word>>) {
        Word const images[1] = {counted_image(key, encode)};
        std::uint32_t indices[1];
        counter.of(images, indices);
        raise(counters, indices[0]);
    } else {
        std::uint32_t const index = counter.of(counted_image(key, encode));
        if constexpr (!Counters::counts_all) {
            if (index == Counters::none) {
                return;
            }
        }
        raise(counters, index);
    }
}

[[nodiscard]] __device__ std::uint32_t word_of(uint4 const& v, int i) {
    return i == 0 ? v.x : i == 1 ? v.y : i == 2 ? v.z : v.w;
}

/// Key i of a vector.
template <class Word>
[[nodiscard]] __device__ Word key_of(uint4 const& v, int i) {
    if constexpr (sizeof(Word) == 8) {
        return static_cast<Word>(word_of(v, 2 * i + 1)) << 32 | word_of(v, 2 * i);
    } else {
        return word_of(v, i);
    }
}

template <class Word, int vectors, class Counters>
__device__ void count_vectors(std::uint32_t* counters,
                              uint4 const (&loaded)[vectors],
                              ImageCode encode,
                              Counters const& counter) {
    constexpr int words = sizeof(uint4) / sizeof(Word);
    if constexpr (std::is_same_v<Counters, TreeCounters<Word>>) {
        Word images[vectors * words];
        std::uint32_t indices[vectors * words];
#pragma unroll
        for (int i = 0; i < vectors * words; ++i) {
            images[i] = counted_image(key_of<Word>(loaded[i / words], i % words), encode);
        }
        counter.of(images, indices);
#pragma unroll
        for (int i = 0; i < vectors * words; ++i) {
            raise(counters, indices[i]);
        }
    } else {
#pragma unroll
        for (int i = 0; i < vectors * words; ++i) {
            count_word(counters, key_of<Word>(loaded[i / words], i % words), encode, counter);
        }
    }
}

/// Grid: (blocks, parts). Shared memory: copies * counter_count counters.
template <class Word, class Counters>
__global__ void __launch_bounds__(histogram_threads)
    histogram_kernel(Word const* keys,
                     PartList parts,
                     DigitWindow window,
                     typename Counters::Argument argument,
                     std::uint32_t counter_count,
                     int copies,
                     std::uint64_t* counts) {
    extern __shared__ std::uint32_t shared_counters[];
    __shared__ typename Counters::Shared storage;
    Counters const counter(argument, window, storage);
    for (std::uint32_t i = threadIdx.x; i < counter_count * copies; i += blockDim.x) {
        shared_counters[i] = 0;
    }
    __syncthreads();
    std::uint32_t* const counters =
        shared_counters + (copies == 2 && threadIdx.x >= histogram_threads / 2 ? counter_count : 0);

    KeyRange const part = parts.part[blockIdx.y];
    Word const* const begin = keys + part.offset;
    constexpr std::uint64_t words_per_load = sizeof(uint4) / sizeof(Word);
    std::uint64_t const misaligned =
        reinterpret_cast<std::uintptr_t>(begin) % sizeof(uint4) / sizeof(Word);
    std::uint64_t const head_wanted = misaligned == 0 ? 0 : words_per_load - misaligned;
    std::uint64_t const head = head_wanted < part.count ? head_wanted : part.count;
    std::uint64_t const loads = (part.count - head) / words_per_load;
    auto const* const vectors = reinterpret_cast<uint4 const*>(begin + head);

    std::uint64_t const thread = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    std::uint64_t i = thread;
    for (; i + (loads_per_thread - 1) * stride < loads; i += loads_per_thread * stride) {
        uint4 loaded[loads_per_thread];
#pragma unroll
        for (int j = 0; j < loads_per_thread; ++j) {
            loaded[j] = vectors[i + j * stride];
        }
        count_vectors<Word>(counters, loaded, window.encode, counter);
    }
    for (; i < loads; i += stride) {
        uint4 const loaded[1] = {vectors[i]};
        count_vectors<Word>(counters, loaded, window.encode, counter);
    }
    for (i = thread; i < head; i += stride) {
        count_word(counters, begin[i], window.encode, counter);
    }
    if (!kernel_has_fault(DeviceFault::skipped_tail)) {
        for (i = head + loads * words_per_load + thread; i < part.count; i += stride) {
            count_word(counters, begin[i], window.encode, counter);
        }
    }
    if (!kernel_has_fault(DeviceFault::missing_barrier)) {
        __syncthreads();
    }
    for (std::uint32_t index = threadIdx.x; index < counter_count; index += blockDim.x) {
        std::uint64_t sum = shared_counters[index];
        if (copies == 2) {
            sum += shared_counters[counter_count + index];
        }
        if (kernel_has_fault(DeviceFault::narrow_counter)) {
            sum %= 1024;
        }
        if (sum != 0) {
            atomicAdd(reinterpret_cast<unsigned long long*>(
                          &counts[blockIdx.y * static_cast<std::uint64_t>(counter_count) + index]),
                      static_cast<unsigned long long>(sum));
        }
    }
}

/// Adds each node's counts to its counter in its parent, last node first. One block.
__global__ void __launch_bounds__(fold_threads)
    node_sums_kernel(CountedNodes nodes, std::uint64_t* counts) {
    using Reduce = cub::BlockReduce<std::uint64_t, fold_threads>;
    __shared__ typename Reduce::TempStorage storage;
    std::uint32_t const row = 1U << nodes.shape.digit_bits;
    std::uint32_t const first = kernel_has_fault(DeviceFault::node_sum_lost) ? 2 : 1;
    for (std::uint32_t node = nodes.count; node-- > first;) {
        std::uint64_t const own =
            threadIdx.x < row ? counts[std::uint64_t{node} * row + threadIdx.x] : 0;
        std::uint64_t const sum = Reduce(storage).Sum(own);
        if (threadIdx.x == 0) {
            counts[nodes.place_in_parent[node]] = sum;
        }
        __syncthreads();
    }
}

__global__ void __launch_bounds__(fold_threads)
    fold_kernel(std::uint64_t const* halves, std::uint32_t count, std::uint64_t* counts) {
    for (std::uint32_t i = threadIdx.x; i < count; i += fold_threads) {
        counts[i] = halves[2 * i] + halves[2 * i + 1];
    }
}

template <class Word, template <class> class CountersOf>
void start_histogram(cudaStream_t stream,
                     void const* keys,
                     PartList const& parts,
                     DigitWindow window,
                     typename CountersOf<Word>::Argument const& argument,
                     std::uint64_t* counts,
                     CountsBefore before) {
    using Counters = CountersOf<Word>;
    std::uint64_t largest = 0;
    for (std::uint32_t i = 0; i < parts.count; ++i) {
        largest = std::max(largest, parts.part[i].count);
    }
    std::uint64_t const tile = histogram_tile_bytes / sizeof(Word);
    auto const blocks_max =
        static_cast<std::uint64_t>(multiprocessor_count()) * histogram_blocks_per_sm;
    auto const blocks = static_cast<unsigned>(
        std::clamp<std::uint64_t>((largest + tile - 1) / tile, 1, blocks_max));
    std::uint32_t const counter_count = Counters::rows(argument) << window.bits;
    int const copies = counter_count >> histogram_copies_bits_max <= 1 ? 2 : 1;
    std::size_t const shared_bytes = sizeof(std::uint32_t) * copies * counter_count;
    if (before == CountsBefore::cleared) {
        KEYSWAP_CUDA(cudaMemsetAsync(
            counts, 0, sizeof(std::uint64_t) * parts.count * counter_count, stream));
    }
    auto const kernel = histogram_kernel<Word, Counters>;
    allow_shared_memory(kernel, shared_bytes);
    kernel<<<dim3{blocks, parts.count}, histogram_threads, shared_bytes, stream>>>(
        static_cast<Word const*>(keys), parts, window, argument, counter_count, copies, counts);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace

void launch_histogram(cudaStream_t stream,
                      int key_bytes,
                      void const* keys,
                      PartList const& parts,
                      DigitWindow window,
                      std::uint64_t* counts,
                      CountsBefore before) {
    upload_active_fault();
    with_key_type(key_bytes, [&]<class Word>() {
        start_histogram<Word, DigitCounters>(stream, keys, parts, window, {}, counts, before);
    });
}

void launch_range_histogram(cudaStream_t stream,
                            int key_bytes,
                            void const* keys,
                            std::uint64_t count,
                            CountedRanges const& ranges,
                            DigitWindow window,
                            std::uint64_t* counts) {
    upload_active_fault();
    PartList whole;
    whole.part[whole.count++] = {0, count};
    with_key_type(key_bytes, [&]<class Word>() {
        start_histogram<Word, RangeCounters>(
            stream, keys, whole, window, ranges, counts, CountsBefore::cleared);
    });
}

void launch_tree_histogram(cudaStream_t stream,
                           int key_bytes,
                           void const* keys,
                           KeyRange const& range,
                           CountedNodes const& nodes,
                           ImageCode encode,
                           std::uint64_t* counts,
                           CountsBefore before) {
    upload_active_fault();
    PartList part;
    part.part[part.count++] = range;
    DigitWindow const root{nodes.shape.bits_below(1), nodes.shape.digit_bits, encode};
    with_key_type(key_bytes, [&]<class Word>() {
        start_histogram<Word, TreeCounters>(stream, keys, part, root, nodes, counts, before);
    });
    // Also correct for CountsBefore::kept: keys never increment a counter that receives a sum.
    node_sums_kernel<<<1, fold_threads, 0, stream>>>(nodes, counts);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_fold(cudaStream_t stream,
                 std::uint64_t const* halves,
                 std::uint32_t count,
                 std::uint64_t* counts) {
    fold_kernel<<<1, fold_threads, 0, stream>>>(halves, count, counts);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
