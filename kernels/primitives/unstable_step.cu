#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/move_values.cuh"
#include "kernels/primitives/segmented_sort.hpp"
#include "kernels/primitives/tile_ranks.cuh"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int block_threads = 512;
/// Keys a thread takes: 48 KiB of keys a block, two blocks a multiprocessor. Of seven shapes tried
/// on an H200 (2026-11-21, 5e8 u32 keys) this one took 1.46 ms, the others 1.73 to 2.06.
template <class Key, class Value>
constexpr int thread_items = sizeof(Key) == 8 || sizeof(Value) == 8 ? 12 : 24;
template <class Key, class Value>
constexpr int tile_size = block_threads* thread_items<Key, Value>;
template <class Key, class Value>
constexpr int tile_shared_bytes = tile_size<Key, Value>* static_cast<int>(
    sizeof(Value) > sizeof(Key) ? sizeof(Value) : sizeof(Key));

/// Orders a tile by digit in shared memory, takes room for its keys in the segment by one atomic a
/// digit, and writes them, then their values. \tparam coded keys are encoded on the way in or
/// decoded on the way out
template <class Key, class Value, int bits, bool coded>
__global__ void __launch_bounds__(block_threads, 2) unstable_step_kernel(DigitStep step) {
    constexpr int items = thread_items<Key, Value>;
    constexpr int bins = 1 << bits;
    static_assert(bins <= block_threads);
    using Scan = cub::BlockScan<std::uint32_t, block_threads>;
    extern __shared__ __align__(8) unsigned char tile_bytes[];
    auto* const tile_keys = reinterpret_cast<Key*>(tile_bytes);
    __shared__ std::uint32_t counters[bins]; // then where each digit begins in the tile
    __shared__ std::uint32_t digit_offset[bins];
    __shared__ typename Scan::TempStorage scan_storage;

    SortTile const tile = step.tiles[blockIdx.x];
    int const count = static_cast<int>(tile.count);
    int const thread = static_cast<int>(threadIdx.x);
    bool const whole = count == tile_size<Key, Value>;
    bool const has_bin = thread < bins && (!is_value<Value> || thread < 1 << step.bits);
    if (thread < bins) {
        counters[thread] = 0;
    }
    Key const* const keys_in = static_cast<Key const*>(step.keys_in) + tile.source;
    auto const is_key = [whole, thread, count](int i) {
        return whole || i * block_threads + thread < count;
    };
    Key keys[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        keys[i] = is_key(i) ? keys_in[i * block_threads + thread] : Key{0};
    }
    if constexpr (coded) {
#pragma unroll
        for (int i = 0; i < items; ++i) {
            keys[i] = encode_image(keys[i], step.encode);
        }
    }
    auto const digit_of = [shift = step.shift, mask = (1U << step.bits) - 1U](Key key) {
        return static_cast<std::uint32_t>(key >> shift) & mask;
    };
    __syncthreads();

    TileRanks<items> ranks;
    rank_tile(
        ranks, counters, [&](int i) { return digit_of(keys[i]); }, is_key);
    __syncthreads();

    std::uint32_t const digit_count = has_bin ? counters[thread] : 0;
    std::uint32_t digit_begin = 0;
    Scan(scan_storage).ExclusiveSum(digit_count, digit_begin);
    std::uint32_t place = 0; // of this thread's digit in the segment
    if (has_bin) {
        counters[thread] = digit_begin;
        place =
            step.bins[static_cast<std::uint64_t>(tile.segment) * step.bins_stride + threadIdx.x];
        if (digit_count != 0) {
            std::uint32_t* const taken =
                step.scratch + (static_cast<std::uint64_t>(tile.segment) << step.bits);
            place += kernel_has_fault(DeviceFault::room_not_taken)
                         ? taken[thread]
                         : atomicAdd(&taken[thread], digit_count);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_key(i)) {
            std::uint32_t const at = counters[digit_of(keys[i])] + ranks.at(i);
            if constexpr (is_value<Value>) {
                ranks.replace(i, at);
            }
            tile_keys[at] = keys[i];
        }
    }
    if (has_bin) {
        // May wrap below zero; adding a place inside the tile brings it back.
        digit_offset[thread] = place - digit_begin;
    }
    __syncthreads();

    Key* const keys_out = static_cast<Key*>(step.keys_out) + tile.destination;
    [[maybe_unused]] std::uint32_t places[is_value<Value> ? items : 1];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = i * block_threads + thread;
        if (is_key(i)) {
            Key const key = tile_keys[at];
            std::uint32_t const out = digit_offset[digit_of(key)] + static_cast<std::uint32_t>(at);
            keys_out[out] = coded ? decode_image(key, step.decode) : key;
            if constexpr (is_value<Value>) {
                places[i] = out;
            }
        }
    }
    if constexpr (is_value<Value>) {
        auto* const tile_values = reinterpret_cast<Value*>(tile_bytes);
        Value const* const values_in = static_cast<Value const*>(step.values_in) + tile.source;
        Value* const values_out = static_cast<Value*>(step.values_out) + tile.destination;
        Value values[items];
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                values[i] = values_in[i * block_threads + thread];
            }
        }
        __syncthreads();
        if (kernel_has_fault(DeviceFault::values_by_other_rank)) {
            values[0] = values[1];
        }
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                tile_values[ranks.at(i)] = values[i];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                values_out[places[i]] = tile_values[i * block_threads + thread];
            }
        }
    }
}

template <class Key, class Value, int bits, bool coded>
void start(cudaStream_t stream, DigitStep const& step) {
    constexpr int shared_bytes = tile_shared_bytes<Key, Value>;
    auto const kernel = unstable_step_kernel<Key, Value, bits, coded>;
    KEYSWAP_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    kernel<<<step.tile_count, block_threads, shared_bytes, stream>>>(step);
}

template <class Key, int bits>
void start_by_code(cudaStream_t stream, DigitStep const& step) {
    if (step.encode.is_identity() && step.decode.is_identity()) {
        start<Key, NoValue, bits, false>(stream, step);
    } else {
        start<Key, NoValue, bits, true>(stream, step);
    }
}

/// Pairs are images, and one width of digits serves all.
template <class Key>
void start_by_value(cudaStream_t stream, int value_bytes, DigitStep const& step) {
    switch (value_bytes) {
    case 4:
        start<Key, std::uint32_t, wide_step_bits, false>(stream, step);
        break;
    case 8:
        start<Key, std::uint64_t, wide_step_bits, false>(stream, step);
        break;
    default:
        step.bits > step_bits ? start_by_code<Key, wide_step_bits>(stream, step)
                              : start_by_code<Key, step_bits>(stream, step);
    }
}

} // namespace

std::uint32_t unstable_tile_keys(ElementShape shape) {
    bool const is_wide = std::max(shape.key_bytes, shape.value_bytes) == 8;
    return is_wide ? tile_size<std::uint64_t, NoValue> : tile_size<std::uint32_t, NoValue>;
}

void launch_unstable_step(cudaStream_t stream, ElementShape shape, DigitStep const& step) {
    KEYSWAP_EXPECTS(shape.value_bytes == 0 ||
                    (step.encode.is_identity() && step.decode.is_identity()));
    if (step.tile_count == 0) {
        return;
    }
    tell_kernels_of_fault();
    std::size_t const words = static_cast<std::size_t>(step.segment_count) << step.bits;
    KEYSWAP_CUDA(cudaMemsetAsync(step.scratch, 0, words * sizeof(std::uint32_t), stream));
    if (shape.key_bytes == 8) {
        start_by_value<std::uint64_t>(stream, shape.value_bytes, step);
    } else {
        start_by_value<std::uint32_t>(stream, shape.value_bytes, step);
    }
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
