#include "kernels/device/cuda_check.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"

#include <cub/block/block_radix_rank.cuh>

namespace keyswap::kernels {

namespace {

constexpr int threads = 1024;
constexpr int items = static_cast<int>(single_tile_keys_max) / threads;
constexpr int label_bits = 8;

struct Label {
    __device__ std::uint32_t Digit(std::uint32_t label) const { return label; }
};

template <class T>
__device__ void move_element(void const* from, std::uint32_t at, void* to, std::uint32_t position) {
    static_cast<T*>(to)[position] = static_cast<T const*>(from)[at];
}

/// In a single tile, the rank of a key among all labels is its position, and the number of keys
/// before the first of a label is the label's start.
template <class Key>
__global__ void __launch_bounds__(threads)
    single_tile_split_kernel(OutOfPlaceArrays arrays, DeviceRule rule, std::uint64_t* starts) {
    using Rank = cub::BlockRadixRankMatch<threads, label_bits, false>;
    constexpr int warp_size = 32;
    static_assert(Rank::BINS_TRACKED_PER_THREAD == 1);
    __shared__ typename Rank::TempStorage shared;

    auto const count = static_cast<std::uint32_t>(arrays.count);
    auto const* const keys = static_cast<Key const*>(arrays.keys_in);
    AnyRule<Key> const label_of(rule);
    std::uint32_t const warp_begin = threadIdx.x / warp_size * (warp_size * items);
    std::uint32_t const first = warp_begin + threadIdx.x % warp_size;
    std::uint32_t labels[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        std::uint32_t const at = first + static_cast<std::uint32_t>(i) * warp_size;
        // Padding comes after all keys.
        labels[i] = at < count ? label_of(keys[at], at) : (1U << label_bits) - 1;
    }
    int ranks[items];
    int before[1];
    Rank(shared).RankKeys(labels, ranks, Label{}, before);
    if (threadIdx.x < rule.buckets) {
        starts[threadIdx.x] = static_cast<std::uint64_t>(before[0]);
    }
#pragma unroll
    for (int i = 0; i < items; ++i) {
        std::uint32_t const at = first + static_cast<std::uint32_t>(i) * warp_size;
        if (at < count) {
            auto const position = static_cast<std::uint32_t>(ranks[i]);
            move_element<Key>(arrays.keys_in, at, arrays.keys_out, position);
            if (arrays.shape.value_bytes == 4) {
                move_element<std::uint32_t>(arrays.values_in, at, arrays.values_out, position);
            } else if (arrays.shape.value_bytes == 8) {
                move_element<std::uint64_t>(arrays.values_in, at, arrays.values_out, position);
            }
        }
    }
}

} // namespace

void launch_single_tile_split(cudaStream_t stream,
                              OutOfPlaceArrays const& arrays,
                              DeviceRule const& rule,
                              std::uint64_t* starts) {
    upload_active_fault();
    auto const kernel = arrays.shape.key_bytes == 4 ? single_tile_split_kernel<std::uint32_t>
                                                    : single_tile_split_kernel<std::uint64_t>;
    kernel<<<1, threads, 0, stream>>>(arrays, rule, starts);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
