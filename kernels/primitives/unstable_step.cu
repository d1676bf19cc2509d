#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/segmented_sort.hpp"
#include "kernels/primitives/tile_ranks.cuh"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int block_threads = 512;
/// Keys a thread takes: 48 KiB of keys a block, two blocks a multiprocessor. Of seven shapes tried
/// on an H200 (2026-11-21, 5e8 u32 keys) this one took 1.46 ms, the others 1.73 to 2.06.
template <class Key>
constexpr int thread_items = sizeof(Key) == 8 ? 12 : 24;
template <class Key>
constexpr int tile_size = block_threads* thread_items<Key>;
/// Orders a tile by digit in shared memory, takes room for its keys in the segment by one atomic a
/// digit, and writes them. \tparam coded keys are encoded on the way in or decoded on the way out
template <class Key, int bits, bool coded>
__global__ void __launch_bounds__(block_threads, 2) unstable_step_kernel(DigitStep step) {
    constexpr int items = thread_items<Key>;
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
    bool const whole = count == tile_size<Key>;
    bool const has_bin = thread < bins;
    if (has_bin) {
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
            tile_keys[counters[digit_of(keys[i])] + ranks.at(i)] = keys[i];
        }
    }
    if (has_bin) {
        // May wrap below zero; adding a place inside the tile brings it back.
        digit_offset[thread] = place - digit_begin;
    }
    __syncthreads();

    Key* const keys_out = static_cast<Key*>(step.keys_out) + tile.destination;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = i * block_threads + thread;
        if (is_key(i)) {
            Key const key = tile_keys[at];
            keys_out[digit_offset[digit_of(key)] + static_cast<std::uint32_t>(at)] =
                coded ? decode_image(key, step.decode) : key;
        }
    }
}

template <class Key, int bits, bool coded>
void start(cudaStream_t stream, DigitStep const& step) {
    constexpr int shared_bytes = tile_size<Key> * static_cast<int>(sizeof(Key));
    auto const kernel = unstable_step_kernel<Key, bits, coded>;
    KEYSWAP_CUDA(
        cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, shared_bytes));
    kernel<<<step.tile_count, block_threads, shared_bytes, stream>>>(step);
}

template <class Key, int bits>
void start_by_code(cudaStream_t stream, DigitStep const& step) {
    if (step.encode.is_identity() && step.decode.is_identity()) {
        start<Key, bits, false>(stream, step);
    } else {
        start<Key, bits, true>(stream, step);
    }
}

} // namespace

std::uint32_t unstable_tile_keys(int key_bytes) {
    return key_bytes == 4 ? tile_size<std::uint32_t> : tile_size<std::uint64_t>;
}

void launch_unstable_step(cudaStream_t stream, int key_bytes, DigitStep const& step) {
    if (step.tile_count == 0) {
        return;
    }
    tell_kernels_of_fault();
    std::size_t const words = static_cast<std::size_t>(step.segment_count) << step.bits;
    KEYSWAP_CUDA(cudaMemsetAsync(step.scratch, 0, words * sizeof(std::uint32_t), stream));
    bool const is_wide = step.bits > step_bits;
    if (key_bytes == 8) {
        is_wide ? start_by_code<std::uint64_t, wide_step_bits>(stream, step)
                : start_by_code<std::uint64_t, step_bits>(stream, step);
    } else {
        is_wide ? start_by_code<std::uint32_t, wide_step_bits>(stream, step)
                : start_by_code<std::uint32_t, step_bits>(stream, step);
    }
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
