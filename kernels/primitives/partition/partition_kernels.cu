#include "kernels/device/cuda_check.hpp"
#include "kernels/device/multiprocessors.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/partition/partition_kernels.hpp"

#include <algorithm>
#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int placement_threads = 1024;
constexpr int stream_threads = 256;

/// One block per refined bucket.
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

/// Returns `raw` unchanged unless a fault for floats is active.
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

/// Digest of one element, independent of its position.
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

/// Grid: (blocks, stretches).
template <class Word>
__global__ void __launch_bounds__(stream_threads)
    bucket_digest_kernel(DigestedElements elements,
                         BucketStretch const* stretches,
                         WideImage const* lowest,
                         MultisetDigest* digests) {
    BucketStretch const stretch = stretches[blockIdx.y];
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    for (std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
         i < stretch.range.count;
         i += stride) {
        std::uint64_t const at = stretch.range.offset + i;
        WideImage const image =
            encode_image(static_cast<Word const*>(elements.keys)[at], elements.code);
        std::uint32_t low = stretch.first_bucket;
        std::uint32_t high = stretch.first_bucket + stretch.bucket_count;
        while (low + 1 < high) {
            std::uint32_t const middle = (low + high) / 2;
            (lowest[middle] <= image ? low : high) = middle;
        }
        MultisetDigest const element = digest_of_element<Word>(elements, at);
        add_to_digest(&digests[low], element);
    }
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

unsigned stream_blocks(std::uint64_t count) {
    auto const blocks_max = static_cast<std::uint64_t>(multiprocessor_count()) * 8;
    std::uint64_t const wanted = (count + stream_threads * 4 - 1) / (stream_threads * 4);
    return static_cast<unsigned>(std::clamp<std::uint64_t>(wanted, 1, blocks_max));
}

} // namespace

void launch_placement(cudaStream_t stream,
                      PlacementRule rule,
                      BucketStarts const& starts,
                      std::uint32_t digit_count,
                      std::uint64_t const* table,
                      PlacementDecision* decisions) {
    upload_active_fault();
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
    upload_active_fault();
    unsigned const blocks = stream_blocks(count);
    with_key_word(key_bytes, [&]<class Word>() {
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
    // Ranges are in the grid's y dimension, which is limited to 65,535.
    constexpr std::uint32_t ranges_per_launch = 65'535;
    for (std::uint32_t first = 0; first < range_count; first += ranges_per_launch) {
        std::uint32_t const count = std::min(ranges_per_launch, range_count - first);
        dim3 const grid{count > 1024 ? 1U : 64U, count};
        with_key_word(elements.key_bytes, [&]<class Word>() {
            digest_kernel<Word>
                <<<grid, stream_threads, 0, stream>>>(elements, ranges + first, digests + first);
        });
        KEYSWAP_CUDA(cudaGetLastError());
    }
}

void launch_bucket_digests(cudaStream_t stream,
                           DigestedElements const& elements,
                           BucketDigests const& buckets,
                           MultisetDigest* digests) {
    if (buckets.stretch_count == 0) {
        return;
    }
    KEYSWAP_CUDA(
        cudaMemsetAsync(digests, 0, sizeof(MultisetDigest) * buckets.bucket_count, stream));
    dim3 const grid{64U, buckets.stretch_count};
    with_key_word(elements.key_bytes, [&]<class Word>() {
        bucket_digest_kernel<Word><<<grid, stream_threads, 0, stream>>>(
            elements, buckets.stretches, buckets.lowest, digests);
    });
    KEYSWAP_CUDA(cudaGetLastError());
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
