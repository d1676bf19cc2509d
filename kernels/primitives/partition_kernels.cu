#include "kernels/device/cuda_check.hpp"
#include "kernels/device/multiprocessors.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/partition_kernels.hpp"

#include <algorithm>
#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int histogram_threads = 512;
constexpr int loads_per_thread = 4;
static_assert(histogram_threads * loads_per_thread * sizeof(uint4) == histogram_tile_bytes);
/// Counters are kept twice up to 8-bit digits, so that half of a block's warps share one.
constexpr int histogram_copies_bits_max = 8;
/// Two blocks of 512 threads an SM keep 64 KiB of loads in flight; 4 are resident at most.
constexpr int histogram_blocks_per_sm = 4;
constexpr int placement_threads = 1024;
constexpr int stream_threads = 256;

template <class Word>
__device__ void count_word(std::uint32_t* counters, Word key, DigitWindow window) {
    Word image = encode_image(key, window.encode);
    if (kernel_has_fault(DeviceFault::narrow_key)) {
        image = static_cast<std::uint32_t>(image);
    }
    auto const digit =
        static_cast<std::uint32_t>(image >> window.shift) & ((1U << window.bits) - 1U);
    if (kernel_has_fault(DeviceFault::lost_atomics)) {
        counters[digit] += 1U;
        return;
    }
    // Adding the constant 1 without using the result lets the hardware join equal digits of a
    // warp, so that a single hot digit costs no more than uniform ones.
    atomicAdd(&counters[digit], 1U);
}

__device__ void count_vector(std::uint32_t* counters, uint4 v, DigitWindow window, std::uint32_t) {
    count_word(counters, v.x, window);
    count_word(counters, v.y, window);
    count_word(counters, v.z, window);
    count_word(counters, v.w, window);
}

__device__ void count_vector(std::uint32_t* counters, uint4 v, DigitWindow window, std::uint64_t) {
    count_word(counters, (static_cast<std::uint64_t>(v.y) << 32) | v.x, window);
    count_word(counters, (static_cast<std::uint64_t>(v.w) << 32) | v.z, window);
}

/// Grid: (blocks, parts). Shared memory: copies * digit_count counters.
template <class Word>
__global__ void __launch_bounds__(histogram_threads) histogram_kernel(
    Word const* keys, PartList parts, DigitWindow window, int copies, std::uint64_t* counts) {
    extern __shared__ std::uint32_t shared_counters[];
    std::uint32_t const digits = 1U << window.bits;
    for (std::uint32_t i = threadIdx.x; i < digits * copies; i += blockDim.x) {
        shared_counters[i] = 0;
    }
    __syncthreads();
    std::uint32_t* const counters =
        shared_counters + (copies == 2 && threadIdx.x >= histogram_threads / 2 ? digits : 0);

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
#pragma unroll
        for (int j = 0; j < loads_per_thread; ++j) {
            count_vector(counters, loaded[j], window, Word{});
        }
    }
    for (; i < loads; i += stride) {
        count_vector(counters, vectors[i], window, Word{});
    }
    for (i = thread; i < head; i += stride) {
        count_word(counters, begin[i], window);
    }
    if (!kernel_has_fault(DeviceFault::skipped_tail)) {
        for (i = head + loads * words_per_load + thread; i < part.count; i += stride) {
            count_word(counters, begin[i], window);
        }
    }
    if (!kernel_has_fault(DeviceFault::missing_barrier)) {
        __syncthreads();
    }
    for (std::uint32_t digit = threadIdx.x; digit < digits; digit += blockDim.x) {
        std::uint64_t sum = shared_counters[digit];
        if (copies == 2) {
            sum += shared_counters[digits + digit];
        }
        if (kernel_has_fault(DeviceFault::narrow_counter)) {
            sum %= 1024;
        }
        if (sum != 0) {
            atomicAdd(reinterpret_cast<unsigned long long*>(
                          &counts[blockIdx.y * static_cast<std::uint64_t>(digits) + digit]),
                      static_cast<unsigned long long>(sum));
        }
    }
}

/// One block for each refined bucket.
__global__ void __launch_bounds__(placement_threads)
    placement_kernel(PlacementRule rule,
                     BucketStarts starts,
                     std::uint32_t digit_count,
                     std::uint64_t const* table,
                     PlacementDecision* decisions) {
    using Scan = cub::BlockScan<std::uint64_t, placement_threads>;
    __shared__ typename Scan::TempStorage scan_storage;
    std::uint32_t const bucket = blockIdx.x;
    std::uint64_t start = starts.begin[bucket];
    std::uint64_t const output_end = rule.chunk_size * rule.gpu_count;
    if (kernel_has_fault(DeviceFault::tolerance_ignored)) {
        rule.tolerance = 0;
    }
    for (std::uint32_t base = 0; base < digit_count; base += placement_threads) {
        std::uint32_t const digit = base + threadIdx.x;
        std::uint64_t total = 0;
        if (digit < digit_count) {
            for (std::uint32_t gpu = 0; gpu < rule.gpu_count; ++gpu) {
                total +=
                    table[(static_cast<std::uint64_t>(gpu) * starts.count + bucket) * digit_count +
                          digit];
            }
        }
        std::uint64_t before = 0;
        std::uint64_t joint = 0;
        Scan(scan_storage).ExclusiveSum(total, before, joint);
        __syncthreads();
        if (digit < digit_count) {
            PlacementDecision decision{start + before, start + before + total, {0, 0}};
            if (total > 0) {
                decision.gpus = place_bucket(rule,
                                             decision.begin,
                                             kernel_has_fault(DeviceFault::border_off_by_one) &&
                                                     decision.end < output_end
                                                 ? decision.end + 1
                                                 : decision.end);
            }
            decisions[static_cast<std::uint64_t>(bucket) * digit_count + digit] = decision;
        }
        if (!kernel_has_fault(DeviceFault::lost_carry)) {
            start += joint;
        }
    }
}

/// Identity but for faults of floats.
template <class Word>
__device__ Word with_fault(Word raw, ImageCode code) {
    return code.sign == SignRule::floating ? float_with_fault(raw) : raw;
}

template <class Word>
__global__ void __launch_bounds__(stream_threads)
    image_kernel(Word* keys, std::uint64_t count, ImageCode code, ImageChange change) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += stride) {
        keys[i] = change == ImageChange::encode ? encode_image(with_fault(keys[i], code), code)
                                                : decode_image(keys[i], code);
    }
}

/// The digest words of an element, wherever it stands.
template <class Word>
__device__ MultisetDigest digest_of_element(DigestedElements const& elements, std::uint64_t at) {
    std::uint64_t value = 0;
    if (elements.value_bytes == 4) {
        value = static_cast<std::uint32_t const*>(elements.values)[at];
    } else if (elements.value_bytes == 8) {
        value = static_cast<std::uint64_t const*>(elements.values)[at];
    }
    Word const image = encode_image(static_cast<Word const*>(elements.keys)[at], elements.code);
    if constexpr (sizeof(Word) == sizeof(WideImage)) {
        return digest_of_wide(key_image(image), value);
    } else {
        return digest_of(image, value);
    }
}

template <class Digest>
__device__ void add_to_digest(Digest* digest, Digest const& sum) {
    if (sum.count != 0) {
        auto* const out = reinterpret_cast<unsigned long long*>(digest);
        atomicAdd(out, static_cast<unsigned long long>(sum.count));
        atomicAdd(out + 1, static_cast<unsigned long long>(sum.low));
        atomicAdd(out + 2, static_cast<unsigned long long>(sum.high));
    }
}

/// Grid: (blocks, ranges).
template <class Word>
__global__ void __launch_bounds__(stream_threads)
    digest_kernel(DigestedElements elements, KeyRange const* ranges, MultisetDigest* digests) {
    KeyRange const range = ranges[blockIdx.y];
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    MultisetDigest sum;
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < range.count;
         i += stride) {
        sum += digest_of_element<Word>(elements, range.offset + i);
    }
    add_to_digest(&digests[blockIdx.y], sum);
}

template <class Word>
__global__ void __launch_bounds__(stream_threads)
    sequence_digest_kernel(DigestedElements elements, std::uint64_t count, SequenceDigest* digest) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    SequenceDigest sum;
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < count;
         i += stride) {
        sum += digest_at(i, digest_of_element<Word>(elements, i));
    }
    add_to_digest(digest, sum);
}

template <class Word>
void start_histogram(cudaStream_t stream,
                     void const* keys,
                     PartList const& parts,
                     DigitWindow window,
                     std::uint64_t* counts) {
    std::uint64_t largest = 0;
    for (std::uint32_t i = 0; i < parts.count; ++i) {
        largest = std::max(largest, parts.part[i].count);
    }
    std::uint64_t const tile = histogram_tile_bytes / sizeof(Word);
    auto const blocks_max =
        static_cast<std::uint64_t>(multiprocessor_count()) * histogram_blocks_per_sm;
    auto const blocks = static_cast<unsigned>(
        std::clamp<std::uint64_t>((largest + tile - 1) / tile, 1, blocks_max));
    int const copies = window.bits <= histogram_copies_bits_max ? 2 : 1;
    std::size_t const shared_bytes = sizeof(std::uint32_t) * copies << window.bits;
    histogram_kernel<Word><<<dim3{blocks, parts.count}, histogram_threads, shared_bytes, stream>>>(
        static_cast<Word const*>(keys), parts, window, copies, counts);
    KEYSWAP_CUDA(cudaGetLastError());
}

unsigned stream_blocks(std::uint64_t count) {
    auto const blocks_max = static_cast<std::uint64_t>(multiprocessor_count()) * 8;
    std::uint64_t const wanted = (count + stream_threads * 4 - 1) / (stream_threads * 4);
    return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, blocks_max));
}

} // namespace

void launch_histogram(cudaStream_t stream,
                      int key_bytes,
                      void const* keys,
                      PartList const& parts,
                      DigitWindow window,
                      std::uint64_t* counts) {
    tell_kernels_of_fault();
    std::size_t const bytes = sizeof(std::uint64_t) * parts.count << window.bits;
    KEYSWAP_CUDA(cudaMemsetAsync(counts, 0, bytes, stream));
    if (key_bytes == 4) {
        start_histogram<std::uint32_t>(stream, keys, parts, window, counts);
    } else {
        start_histogram<std::uint64_t>(stream, keys, parts, window, counts);
    }
}

void launch_placement(cudaStream_t stream,
                      PlacementRule rule,
                      BucketStarts const& starts,
                      std::uint32_t digit_count,
                      std::uint64_t const* table,
                      PlacementDecision* decisions) {
    tell_kernels_of_fault();
    placement_kernel<<<starts.count, placement_threads, 0, stream>>>(
        rule, starts, digit_count, table, decisions);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_image_change(cudaStream_t stream,
                         int key_bytes,
                         void* keys,
                         std::uint64_t count,
                         ImageCode code,
                         ImageChange change) {
    if (count == 0 || code.is_identity()) {
        return;
    }
    tell_kernels_of_fault();
    unsigned const blocks = stream_blocks(count);
    with_key_word(key_bytes, [&]<class Word>(std::type_identity<Word> /*word*/) {
        image_kernel<<<blocks, stream_threads, 0, stream>>>(
            static_cast<Word*>(keys), count, code, change);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_digests(cudaStream_t stream,
                    DigestedElements const& elements,
                    KeyRange const* ranges,
                    std::uint32_t range_count,
                    MultisetDigest* digests) {
    if (range_count == 0) {
        return;
    }
    KEYSWAP_CUDA(cudaMemsetAsync(digests, 0, sizeof(MultisetDigest) * range_count, stream));
    // Ranges lie in the grid's y dimension, which ends at 65,535.
    constexpr std::uint32_t ranges_per_launch = 65'535;
    for (std::uint32_t first = 0; first < range_count; first += ranges_per_launch) {
        std::uint32_t const count = std::min(ranges_per_launch, range_count - first);
        dim3 const grid{count > 1024 ? 1U : 64U, count};
        with_key_word(elements.key_bytes, [&]<class Word>(std::type_identity<Word> /*word*/) {
            digest_kernel<Word>
                <<<grid, stream_threads, 0, stream>>>(elements, ranges + first, digests + first);
        });
        KEYSWAP_CUDA(cudaGetLastError());
    }
}

void launch_sequence_digest(cudaStream_t stream,
                            DigestedElements const& elements,
                            std::uint64_t count,
                            SequenceDigest* digest) {
    KEYSWAP_CUDA(cudaMemsetAsync(digest, 0, sizeof(SequenceDigest), stream));
    auto const kernel = elements.key_bytes == 4 ? sequence_digest_kernel<std::uint32_t>
                                                : sequence_digest_kernel<std::uint64_t>;
    kernel<<<stream_blocks(count), stream_threads, 0, stream>>>(elements, count, digest);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
