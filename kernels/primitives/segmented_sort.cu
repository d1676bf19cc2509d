#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/look_back.cuh"
#include "kernels/primitives/move_values.cuh"
#include "kernels/primitives/segmented_sort.hpp"
#include "kernels/primitives/tile_ranks.cuh"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cub/block/block_radix_rank.cuh>

namespace keyswap::kernels {

namespace {

constexpr int small_threads = 256;
template <class Key>
struct StepDigit {
    int shift;
    std::uint32_t mask;
    __device__ explicit StepDigit(BitWindow digit)
        : shift(digit.begin), mask((1U << (digit.end - digit.begin)) - 1U) {}
    __device__ std::uint32_t Digit(Key key) const {
        return static_cast<std::uint32_t>(key >> shift) & mask;
    }
};

/// \tparam digit_bits of the widest digit \tparam coded keys are encoded on the way in or decoded
/// on the way out
template <class Key, class Value, int digit_bits, bool coded>
__global__ void __launch_bounds__(step_threads, 2) digit_step_kernel(DigitStep step) {
    constexpr int items = step_items<Key, Value>;
    constexpr int tile_size = items * step_threads;
    constexpr std::uint32_t bins = 1U << digit_bits;
    constexpr int tracked = tracked_labels<bins>;
    constexpr bool has_values = is_value<Value>;
    constexpr int warp_size = 32;
    using Rank = cub::BlockRadixRankMatchEarlyCounts<step_threads,
                                                     digit_bits,
                                                     false,
                                                     cub::BLOCK_SCAN_RAKING_MEMOIZE,
                                                     cub::WARP_MATCH_ANY,
                                                     1>;
    __shared__ union {
        typename Rank::TempStorage rank;
        Key keys[tile_size];
        Value values[has_values ? tile_size : 1];
    } shared;
    __shared__ std::uint32_t digit_offset[bins];

    // Blocks start in the order of their index (CUB's scan relies on the same), so whatever a block
    // waits for is running already.
    std::uint32_t const ticket = blockIdx.x;
    SortTile const tile = step.tiles[ticket];
    int const count = static_cast<int>(tile.count);

    int const lane = threadIdx.x % warp_size;
    int const warp_begin = static_cast<int>(threadIdx.x) / warp_size * (warp_size * items);
    Key const* const keys_in = step.keys_read().of<Key>(tile.buffer) + tile.source;
    Key keys[items];
    if (count == tile_size) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            keys[i] = keys_in[warp_begin + i * warp_size + lane];
        }
    } else {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            int const at = warp_begin + i * warp_size + lane;
            keys[i] = at < count ? keys_in[at] : Key{0};
        }
    }
    if constexpr (coded) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            keys[i] = encode_image(keys[i], step.encode);
        }
    }
    if (count < tile_size) { // places beyond the end rank last
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (warp_begin + i * warp_size + lane >= count) {
                keys[i] = static_cast<Key>(~Key{0});
            }
        }
    }

    StepDigit<Key> const digit{tile.digit.or_else(step.digit())};
    bool const is_first = ticket == tile.segment_tile;
    std::uint32_t* const own_lookback = step.scratch + static_cast<std::uint64_t>(ticket) * bins;
    int ranks[items];
    int digit_prefix[tracked];
    int digit_count[tracked] = {};
    PublishCounts<bins> const publish{own_lookback,
                                      is_first ? inclusive_flag : partial_flag,
                                      digit.mask,
                                      tile_size - count,
                                      digit_count};
    Rank(shared.rank).RankKeys(keys, ranks, digit, digit_prefix, publish);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        shared.keys[ranks[i]] = keys[i];
    }
    std::uint32_t const first_bin = first_tracked_label<bins>();
    if (first_bin < bins) {
        std::uint32_t before[tracked] = {};
        if (!is_first) {
            sum_keys_before<bins>(step.scratch, ticket, tile.segment_tile, before);
        }
#pragma unroll
        for (int i = 0; i < tracked; ++i) {
            std::uint32_t const bin = first_bin + static_cast<unsigned>(i);
            if (!is_first) {
                __stcg(&own_lookback[bin],
                       (before[i] + static_cast<std::uint32_t>(digit_count[i])) | inclusive_flag);
            }
            std::uint32_t const start =
                step.bins[static_cast<std::uint64_t>(tile.segment) * step.bins_stride + bin];
            // May wrap below zero; adding a place inside the tile brings it back.
            digit_offset[bin] = start + before[i] - static_cast<std::uint32_t>(digit_prefix[i]);
        }
    }
    __syncthreads();

    Key* const keys_out = static_cast<Key*>(step.keys_out) + tile.destination;
    // Values go by the digits that keys had: places would take registers from a second block.
    HalfWords<items> digits;
    auto const place_of = [&](int i, int at) {
        return digit_offset[digits.at(i)] + static_cast<std::uint32_t>(at);
    };
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = static_cast<int>(threadIdx.x) + i * step_threads;
        Key const key = shared.keys[at];
        digits.set(i, digit.Digit(key));
        if (at < count) {
            keys_out[place_of(i, at)] = coded ? decode_image(key, step.decode) : key;
        }
    }
    if constexpr (has_values) {
        move_values<step_threads>(shared.values,
                                  step.values_read().of<Value>(tile.buffer) + tile.source,
                                  static_cast<Value*>(step.values_out) + tile.destination,
                                  count,
                                  ranks,
                                  place_of);
    }
}

template <class Word>
__global__ void __launch_bounds__(small_threads)
    copy_kernel(Word* destination, Word const* source, std::uint64_t count) {
    constexpr int unroll = 8;
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
    for (; i + (unroll - 1) * stride < count; i += unroll * stride) {
        Word words[unroll];
#pragma unroll
        for (int j = 0; j < unroll; ++j) {
            words[j] = source[i + j * stride];
        }
#pragma unroll
        for (int j = 0; j < unroll; ++j) {
            destination[i + j * stride] = words[j];
        }
    }
    for (; i < count; i += stride) {
        destination[i] = source[i];
    }
}

template <class Word>
__global__ void __launch_bounds__(small_threads)
    fill_kernel(Word* keys, Word image, std::uint64_t count) {
    std::uint64_t const stride = gridDim.x * static_cast<std::uint64_t>(blockDim.x);
    std::uint64_t i = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
    for (; i < count; i += stride) {
        keys[i] = image;
    }
}

/// Blocks that move so many words: eight words a thread, but no more blocks than run at once.
unsigned streaming_blocks(std::uint64_t count) {
    constexpr std::uint64_t blocks_max = 132 * 8;
    return static_cast<unsigned>(
        std::clamp<std::uint64_t>(count / (small_threads * 8ULL), 1, blocks_max));
}

template <class Key, class Value>
void start_step(cudaStream_t stream, DigitStep const& step) {
    auto const start = [&](auto const kernel) {
        kernel<<<step.tile_count, step_threads, 0, stream>>>(step);
    };
    bool const is_coded = !step.encode.is_identity() || !step.decode.is_identity();
    if constexpr (is_value<Value>) {
        if (step.bits > step_bits) { // codes are not worth a kernel of their own
            start(digit_step_kernel<Key, Value, wide_step_bits, true>);
            return;
        }
    }
    start(is_coded ? digit_step_kernel<Key, Value, step_bits, true>
                   : digit_step_kernel<Key, Value, step_bits, false>);
}

template <class Key>
void start_step_by_value(cudaStream_t stream, int value_bytes, DigitStep const& step) {
    switch (value_bytes) {
    case 4:
        return start_step<Key, std::uint32_t>(stream, step);
    case 8:
        return start_step<Key, std::uint64_t>(stream, step);
    default:
        return start_step<Key, NoValue>(stream, step);
    }
}

template <class Key>
std::uint32_t tile_keys_by_value(int value_bytes) {
    switch (value_bytes) {
    case 4:
        return step_threads * step_items<Key, std::uint32_t>;
    case 8:
        return step_threads * step_items<Key, std::uint64_t>;
    default:
        return step_threads * step_items<Key, NoValue>;
    }
}

} // namespace

std::uint32_t tile_keys(ElementShape shape) {
    return shape.key_bytes == 4 ? tile_keys_by_value<std::uint32_t>(shape.value_bytes)
                                : tile_keys_by_value<std::uint64_t>(shape.value_bytes);
}

void launch_digit_step(cudaStream_t stream, ElementShape shape, DigitStep const& step) {
    if (step.tile_count == 0) {
        return;
    }
    bool const is_wide = step.bits > step_bits;
    KEYSWAP_EXPECTS(!is_wide || shape.value_bytes > 0);
    std::size_t const words = static_cast<std::size_t>(step.tile_count)
                              << (is_wide ? wide_step_bits : step_bits);
    KEYSWAP_CUDA(cudaMemsetAsync(step.scratch, 0, words * sizeof(std::uint32_t), stream));
    if (shape.key_bytes == 4) {
        start_step_by_value<std::uint32_t>(stream, shape.value_bytes, step);
    } else {
        start_step_by_value<std::uint64_t>(stream, shape.value_bytes, step);
    }
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_copy(cudaStream_t stream,
                 int element_bytes,
                 void* destination,
                 void const* source,
                 std::uint64_t count) {
    if (count == 0 || element_bytes == 0) {
        return;
    }
    if (element_bytes == 16) {
        count *= 2; // words of 8
    }
    unsigned const blocks = streaming_blocks(count);
    if (element_bytes == 4) {
        copy_kernel<<<blocks, small_threads, 0, stream>>>(static_cast<std::uint32_t*>(destination),
                                                          static_cast<std::uint32_t const*>(source),
                                                          count);
    } else {
        copy_kernel<<<blocks, small_threads, 0, stream>>>(static_cast<std::uint64_t*>(destination),
                                                          static_cast<std::uint64_t const*>(source),
                                                          count);
    }
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_fill(
    cudaStream_t stream, int key_bytes, void* keys, std::uint64_t image, std::uint64_t count) {
    if (count == 0) {
        return;
    }
    unsigned const blocks = streaming_blocks(count);
    if (key_bytes == 4) {
        fill_kernel<<<blocks, small_threads, 0, stream>>>(
            static_cast<std::uint32_t*>(keys), static_cast<std::uint32_t>(image), count);
    } else {
        fill_kernel<<<blocks, small_threads, 0, stream>>>(
            static_cast<std::uint64_t*>(keys), image, count);
    }
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
