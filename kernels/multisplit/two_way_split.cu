#include "kernels/device/cuda_check.hpp"
#include "kernels/multisplit/bucket_rule.cuh"
#include "kernels/multisplit/split_kernels.hpp"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/steps/look_back.hpp"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int split_threads = 256;
constexpr int split_warps = split_threads / 32;
/// Keys per thread. Of 8, 12, 16 and 24, on an H200 (2026-11-22, 2^28 u32 keys), 16 and 24 give 239
/// Gkeys/s, 12 gives 226, 8 gives 185.
constexpr int split_items = 16;
constexpr int split_tile = split_threads * split_items;
constexpr std::uint32_t whole_warp = 0xffffffffU;

/// Look-back words for the tiles' counts of bucket 0.
struct ZeroWords {
    std::uint64_t* words; ///< [tile] device

    [[nodiscard]] __device__ std::uint64_t read(std::int64_t tile) const {
        return *const_cast<std::uint64_t const volatile*>(&words[tile]);
    }
    __device__ void write(std::uint32_t tile, std::uint64_t word) const {
        __stcg(&words[tile], word);
    }
};

struct WarpLanes {
    static constexpr int width = 32;

    [[nodiscard]] __device__ int index() const { return static_cast<int>(threadIdx.x) % width; }
    [[nodiscard]] __device__ std::uint32_t ballot(bool predicate) const {
        return __ballot_sync(whole_warp, predicate);
    }
    [[nodiscard]] __device__ int first_of(std::uint32_t ballot) const {
        return __ffs(static_cast<int>(ballot)) - 1;
    }
    [[nodiscard]] __device__ std::uint64_t sum(std::uint64_t value) const {
#pragma unroll
        for (int distance = width / 2; distance > 0; distance /= 2) {
            value += __shfl_xor_sync(whole_warp, value, distance);
        }
        return value;
    }
};

/// One ballot per window of 32 keys gives every key's rank in both buckets.
template <class Key, class Value, class Rule>
__global__ void __launch_bounds__(split_threads)
    two_way_split_kernel(Key const* keys_in,
                         Key* keys_out,
                         Value const* values_in,
                         Value* values_out,
                         std::uint64_t all_count,
                         std::uint32_t const* positions,
                         std::uint64_t* lookback,
                         Rule rule) {
    constexpr int items = split_items;
    constexpr int tile_size = split_tile;
    constexpr bool has_values = is_value<Value>;
    __shared__ union {
        Key keys[tile_size];
        Value values[has_values ? tile_size : 1];
    } shared;
    __shared__ std::uint32_t warp_zeros[split_warps];
    __shared__ std::uint64_t zeros_of_earlier_tiles;

    std::uint64_t const begin = blockIdx.x * static_cast<std::uint64_t>(tile_size);
    int const count =
        static_cast<int>(all_count - begin < tile_size ? all_count - begin : tile_size);
    int const lane = static_cast<int>(threadIdx.x) % 32;
    int const warp = static_cast<int>(threadIdx.x) / 32;
    int const warp_begin = warp * 32 * items;

    Key keys[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = warp_begin + i * 32 + lane;
        keys[i] = at < count ? keys_in[begin + at] : Key{0};
    }
    std::uint32_t zeros[items]; // lanes of window i with label 0
    std::uint32_t warp_total = 0;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        std::uint64_t const at = begin + warp_begin + i * 32 + lane;
        bool is_zero = at < all_count;
        if constexpr (Rule::is_cheap) {
            is_zero = is_zero && rule(keys[i]) == 0;
        } else {
            is_zero = is_zero && rule(keys[i], at) == 0;
        }
        zeros[i] = __ballot_sync(whole_warp, is_zero);
        warp_total += static_cast<std::uint32_t>(__popc(zeros[i]));
    }
    if (lane == 0) {
        warp_zeros[warp] = warp_total;
    }
    __syncthreads();
    std::uint32_t tile_zeros = 0;
    std::uint32_t warp_first = 0; // zeros of earlier warps
#pragma unroll
    for (int other = 0; other < split_warps; ++other) {
        warp_first += other < warp ? warp_zeros[other] : 0;
        tile_zeros += warp_zeros[other];
    }
    ZeroWords const words{lookback};
    if (threadIdx.x == 0) {
        std::uint64_t const published = kernel_has_fault(DeviceFault::split_count_swapped)
                                            ? static_cast<std::uint32_t>(count) - tile_zeros
                                            : tile_zeros;
        words.write(blockIdx.x,
                    published | (blockIdx.x == 0 ? inclusive_flag<std::uint64_t>
                                                 : partial_flag<std::uint64_t>));
    }

    // Order in shared memory: the tile's zeros, then its ones.
    std::uint32_t const lanes_before = (1U << lane) - 1U;
    int ranks[items];
    std::uint32_t zeros_seen = warp_first;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        std::uint32_t const zero_rank = zeros_seen + __popc(zeros[i] & lanes_before);
        bool const is_zero = (zeros[i] >> lane & 1U) != 0;
        int const at = warp_begin + i * 32 + lane;
        ranks[i] = static_cast<int>(is_zero ? zero_rank : tile_zeros + (at - zero_rank));
        zeros_seen += static_cast<std::uint32_t>(__popc(zeros[i]));
        shared.keys[ranks[i]] = keys[i]; // positions beyond the end come last
    }
    if (warp == 0) {
        std::uint64_t const before =
            look_back_by_warp(words, WarpLanes{}, blockIdx.x, std::uint64_t{tile_zeros});
        if (lane == 0) {
            zeros_of_earlier_tiles = before;
        }
    }
    __syncthreads();
    std::uint64_t const zeros_earlier = zeros_of_earlier_tiles;
    std::uint64_t const first_zero = positions[0] + zeros_earlier;
    std::uint64_t const first_one = positions[1] + (begin - zeros_earlier);
    auto const place_of = [&](int at) {
        std::uint64_t const place =
            at < static_cast<int>(tile_zeros) ? first_zero + at : first_one + (at - tile_zeros);
        // Confines the fault to the output.
        return kernel_has_fault(DeviceFault::split_count_swapped) ? place % all_count : place;
    };
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = i * split_threads + static_cast<int>(threadIdx.x);
        if (at < count) {
            keys_out[place_of(at)] = shared.keys[at];
        }
    }
    if constexpr (has_values) {
        move_values<split_threads>(
            shared.values, values_in + begin, values_out, count, ranks, [&](int /*i*/, int at) {
                return place_of(at);
            });
    }
}

std::uint64_t tiles_of(std::uint64_t count) {
    return (count + split_tile - 1) / split_tile;
}

template <class Key, class Value, class Rule>
void start(cudaStream_t stream,
           OutOfPlaceArrays const& arrays,
           std::uint32_t const* positions,
           void* scratch,
           Rule const& rule) {
    TypedArrays<Key, Value> const typed(arrays);
    two_way_split_kernel<Key, Value, Rule>
        <<<static_cast<unsigned>(tiles_of(arrays.count)), split_threads, 0, stream>>>(
            typed.keys_in,
            typed.keys_out,
            typed.values_in,
            typed.values_out,
            typed.count,
            positions,
            static_cast<std::uint64_t*>(scratch),
            rule);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace

std::size_t two_way_scratch_bytes(std::uint64_t count) {
    return static_cast<std::size_t>(tiles_of(count)) * sizeof(std::uint64_t);
}

void launch_two_way_split(cudaStream_t stream,
                          OutOfPlaceArrays const& arrays,
                          DeviceRule const& rule,
                          std::uint32_t const* positions,
                          void* scratch) {
    if (arrays.count == 0) {
        return;
    }
    upload_active_fault();
    KEYSWAP_CUDA(cudaMemsetAsync(scratch, 0, two_way_scratch_bytes(arrays.count), stream));
    with_element_types(arrays.shape, [&]<class Key, class Value>() {
        if (rule.kind == RuleKind::digit) {
            start<Key, Value>(stream, arrays, positions, scratch, DigitRule<Key>(rule));
        } else {
            start<Key, Value>(stream, arrays, positions, scratch, AnyRule<Key>(rule));
        }
    });
}

} // namespace keyswap::kernels
