#include "kernels/device/cuda_check.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/steps/tile_ranks.cuh"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int split_threads = 512;
static_assert(split_threads >= atomic_buckets_max);
/// Keys per thread, as in the unstable digit step: 48 KiB of keys per block.
template <class Key>
constexpr int split_items = sizeof(Key) == 8 ? 12 : 24;
template <class Key>
constexpr int split_tile = split_threads* split_items<Key>;
template <class Key, class Rule>
__global__ void __launch_bounds__(split_threads, 2) atomic_split_kernel(Key const* all_keys,
                                                                        Key* keys_out,
                                                                        std::uint8_t const* labels,
                                                                        std::uint64_t all_count,
                                                                        std::uint32_t buckets,
                                                                        std::uint32_t* positions,
                                                                        Rule rule) {
    constexpr int items = split_items<Key>;
    constexpr bool kept = !Rule::is_cheap;
    using Scan = cub::BlockScan<std::uint32_t, split_threads>;
    static_assert(split_tile<Key> % 16 == 0);
    extern __shared__ __align__(16) unsigned char tile_bytes[];
    auto* const tile_keys = reinterpret_cast<Key*>(tile_bytes);
    auto* const tile_labels =
        reinterpret_cast<std::uint8_t*>(tile_bytes + split_tile<Key> * sizeof(Key));
    __shared__ std::uint32_t counters[atomic_buckets_max]; // then the tile's bucket begins
    __shared__ std::uint32_t bucket_offset[atomic_buckets_max];
    __shared__ typename Scan::TempStorage scan_storage;

    std::uint64_t const begin = blockIdx.x * static_cast<std::uint64_t>(split_tile<Key>);
    int const count =
        static_cast<int>(all_count - begin < split_tile<Key> ? all_count - begin : split_tile<Key>);
    int const thread = static_cast<int>(threadIdx.x);
    bool const has_bucket = threadIdx.x < buckets;
    counters[thread] = 0;
    auto const is_key = [count, thread](int i) { return i * split_threads + thread < count; };
    Key keys[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        keys[i] = is_key(i) ? all_keys[begin + i * split_threads + thread] : Key{0};
    }
    std::uint8_t kept_labels[kept ? items : 1];
    if constexpr (kept) { // in loads of 16 bytes; the buffer is padded beyond the last label
        auto const* const from = reinterpret_cast<uint4 const*>(labels + begin);
        auto* const to = reinterpret_cast<uint4*>(tile_labels);
        for (int i = thread; i * 16 < count; i += split_threads) {
            to[i] = from[i];
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            kept_labels[i] = is_key(i) ? tile_labels[i * split_threads + thread] : std::uint8_t{0};
        }
    }
    auto const label_of = [&](int i) -> std::uint32_t {
        if constexpr (kept) {
            return kept_labels[i];
        } else {
            return rule(keys[i]);
        }
    };
    __syncthreads();

    HalfWords<items> ranks;
    rank_tile(ranks, counters, label_of, is_key);
    __syncthreads();

    std::uint32_t const bucket_count = counters[thread];
    std::uint32_t bucket_begin = 0;
    Scan(scan_storage).ExclusiveSum(bucket_count, bucket_begin);
    counters[thread] = bucket_begin;
    if (has_bucket && bucket_count != 0) {
        // May wrap below zero; adding the position in the tile undoes it.
        bucket_offset[thread] = atomicAdd(&positions[thread], bucket_count) - bucket_begin;
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_key(i)) {
            std::uint32_t const at = counters[label_of(i)] + ranks.at(i);
            tile_keys[at] = keys[i];
            if constexpr (kept) {
                tile_labels[at] = kept_labels[i];
            }
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = i * split_threads + thread;
        if (is_key(i)) {
            Key const key = tile_keys[at];
            std::uint32_t label = 0;
            if constexpr (kept) {
                label = tile_labels[at];
            } else {
                label = rule(key);
            }
            keys_out[bucket_offset[label] + static_cast<std::uint32_t>(at)] = key;
        }
    }
}

template <class Key, class Rule>
void start(cudaStream_t stream,
           OutOfPlaceArrays const& arrays,
           std::uint32_t buckets,
           std::uint8_t const* labels,
           std::uint32_t* positions,
           Rule const& rule) {
    constexpr int shared_bytes =
        split_tile<Key> * static_cast<int>(sizeof(Key) + (Rule::is_cheap ? 0 : 1));
    auto const kernel = atomic_split_kernel<Key, Rule>;
    allow_shared_memory(kernel, shared_bytes);
    auto const tiles =
        static_cast<unsigned>((arrays.count + split_tile<Key> - 1) / split_tile<Key>);
    kernel<<<tiles, split_threads, shared_bytes, stream>>>(static_cast<Key const*>(arrays.keys_in),
                                                           static_cast<Key*>(arrays.keys_out),
                                                           labels,
                                                           arrays.count,
                                                           buckets,
                                                           positions,
                                                           rule);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace

void launch_atomic_split(cudaStream_t stream,
                         OutOfPlaceArrays const& arrays,
                         DeviceRule const& rule,
                         std::uint8_t const* labels,
                         std::uint32_t* positions) {
    if (arrays.count == 0) {
        return;
    }
    upload_active_fault();
    with_key_type(arrays.shape.key_bytes, [&]<class Key>() {
        if (labels != nullptr) {
            start<Key>(stream, arrays, rule.buckets, labels, positions, KeptRule{});
        } else if (rule.kind == RuleKind::digit) {
            start<Key>(stream, arrays, rule.buckets, labels, positions, DigitRule<Key>(rule));
        } else {
            start<Key>(stream, arrays, rule.buckets, labels, positions, DeltaRule<Key>(rule));
        }
    });
}

} // namespace keyswap::kernels
