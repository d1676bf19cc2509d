#include "kernels/device/stream.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/steps/leading_counts.hpp"

#include <cub/block/block_scan.cuh>

#include <algorithm>

namespace keyswap::kernels {

namespace {

constexpr int count_threads = 512;
constexpr int small_threads = 256;
/// Most tiles that a block counts before it adds its counters to the global ones; fewer if there
/// would be too few blocks.
constexpr std::uint32_t tiles_per_count_block = 16;
constexpr std::uint32_t count_blocks_wanted = 1024;
constexpr int steps_max = 8;
constexpr int wide_step_bins = 1 << wide_step_bits;

__global__ void __launch_bounds__(small_threads) tile_kernel(SegmentPart const* parts,
                                                             std::uint32_t part_count,
                                                             std::uint32_t tile_count,
                                                             std::uint32_t keys_per_tile,
                                                             SortTile* tiles) {
    std::uint32_t const tile = blockIdx.x * blockDim.x + threadIdx.x;
    if (tile >= tile_count) {
        return;
    }
    std::uint32_t low = 0; // last part with first_tile <= tile
    std::uint32_t high = part_count;
    while (high - low > 1) {
        std::uint32_t const middle = low + (high - low) / 2;
        (parts[middle].first_tile <= tile ? low : high) = middle;
    }
    SegmentPart const part = parts[low];
    std::uint64_t const begin = static_cast<std::uint64_t>(tile - part.first_tile) * keys_per_tile;
    std::uint64_t const left = part.count - begin;
    tiles[tile] = {part.source + begin,
                   part.destination,
                   static_cast<std::uint32_t>(left < keys_per_tile ? left : keys_per_tile),
                   part.segment,
                   part.segment_tile,
                   part.buffer,
                   part.digit};
}

/// \tparam fixed_steps number of digits, or 0 to use `steps`
/// \tparam digit_bits per digit; the window's last digit may have fewer
template <class Key, int fixed_steps, int digit_bits>
__global__ void __launch_bounds__(count_threads) count_kernel(StepBuffers keys,
                                                              SortTile const* tiles,
                                                              std::uint32_t tile_count,
                                                              std::uint32_t tiles_per_block,
                                                              BitWindow window,
                                                              int steps,
                                                              std::uint32_t* bins,
                                                              std::uint8_t const* known) {
    constexpr int loads = 8; // in flight per thread
    constexpr std::uint32_t digit_bins = 1U << digit_bits;
    __shared__ std::uint32_t counters[(fixed_steps > 0 ? fixed_steps : steps_max) * digit_bins];
    int const step_count = fixed_steps > 0 ? fixed_steps : steps;
    std::uint32_t const all_bins = step_count * digit_bins;
    for (std::uint32_t i = threadIdx.x; i < all_bins; i += blockDim.x) {
        counters[i] = 0;
    }
    std::uint32_t const first = blockIdx.x * tiles_per_block;
    std::uint32_t const end = min(tile_count, first + tiles_per_block);
    auto const is_known = [known, tiles](std::uint32_t tile) {
        return known != nullptr && known[tiles[tile].segment] != 0;
    };
    bool all_known = true;
    for (std::uint32_t t = first + threadIdx.x; t < end; t += blockDim.x) {
        all_known = all_known && is_known(t);
    }
    if (__syncthreads_and(all_known ? 1 : 0) != 0) {
        return;
    }
    int shift = window.begin;
    Key mask = 0; // applied after the shift
    auto const count_key = [step_count, &shift, &mask](Key key) {
        key = (key >> shift) & mask;
#pragma unroll
        for (int step = 0; step < step_count; ++step) {
            atomicAdd(&counters[step * digit_bins + (key & (digit_bins - 1))], 1U);
            key >>= digit_bits;
        }
    };
    for (std::uint32_t t = first; t < end; ++t) {
        SortTile const tile = tiles[t];
        if (is_known(t)) {
            continue;
        }
        BitWindow const read = tile.digit.or_else(window);
        shift = read.begin;
        mask = static_cast<Key>(~Key{0}) >>
               (static_cast<int>(sizeof(Key)) * 8 - (read.end - read.begin));
        Key const* const source = keys.of<Key>(tile.buffer) + tile.source;
        std::uint32_t i = threadIdx.x;
        for (; i + (loads - 1) * count_threads < tile.count; i += loads * count_threads) {
            Key loaded[loads];
#pragma unroll
            for (int j = 0; j < loads; ++j) {
                loaded[j] = source[i + j * count_threads];
            }
#pragma unroll
            for (int j = 0; j < loads; ++j) {
                count_key(loaded[j]);
            }
        }
        if (!kernel_has_fault(DeviceFault::segment_tail_skipped)) {
            for (; i < tile.count; i += count_threads) {
                count_key(source[i]);
            }
        }
        bool const flush = t + 1 == end || tiles[t + 1].segment != tile.segment;
        if (flush) {
            __syncthreads();
            std::uint32_t* const out = bins + static_cast<std::uint64_t>(tile.segment) * all_bins;
            for (std::uint32_t bin = threadIdx.x; bin < all_bins; bin += blockDim.x) {
                std::uint32_t const count = counters[bin];
                if (count != 0) {
                    atomicAdd(&out[bin], count);
                    counters[bin] = 0;
                }
            }
            __syncthreads();
        }
    }
}

/// Common numbers of digits are compile-time constants: those of 32- and 64-bit keys less 8 bits.
template <class Key>
void start_count(cudaStream_t stream,
                 SegmentBins const& bins,
                 int steps,
                 std::uint8_t const* known) {
    constexpr int usual = static_cast<int>(sizeof(Key)) - 1;
    std::uint32_t const tiles_per_block =
        std::clamp(bins.tile_count / count_blocks_wanted, 1U, tiles_per_count_block);
    unsigned const blocks = (bins.tile_count + tiles_per_block - 1) / tiles_per_block;
    auto* const kernel = bins.digit_bits == wide_step_bits ? count_kernel<Key, 1, wide_step_bits>
                         : steps == 1                      ? count_kernel<Key, 1, step_bits>
                         : steps == usual                  ? count_kernel<Key, usual, step_bits>
                                                           : count_kernel<Key, 0, step_bits>;
    kernel<<<blocks, count_threads, 0, stream>>>(bins.keys,
                                                 bins.tiles,
                                                 bins.tile_count,
                                                 tiles_per_block,
                                                 bins.window,
                                                 steps,
                                                 bins.bins,
                                                 known);
}

/// Grid: (steps, segments), one thread per bin; replaces a row of counts by exclusive prefix sums.
template <int bin_count>
__global__ void __launch_bounds__(bin_count)
    bin_sum_kernel(std::uint32_t* bins, std::uint8_t const* known) {
    if (known != nullptr && known[blockIdx.y] != 0) {
        return;
    }
    using Scan = cub::BlockScan<std::uint32_t, bin_count>;
    __shared__ typename Scan::TempStorage storage;
    std::uint32_t* const row =
        bins + (static_cast<std::uint64_t>(blockIdx.y) * gridDim.x + blockIdx.x) * bin_count;
    std::uint32_t before = 0;
    Scan(storage).ExclusiveSum(row[threadIdx.x], before);
    row[threadIdx.x] = before;
}

} // namespace

void launch_tiles(cudaStream_t stream,
                  SegmentPart const* parts,
                  std::uint32_t part_count,
                  std::uint32_t tile_count,
                  std::uint32_t keys_per_tile,
                  SortTile* tiles) {
    if (tile_count == 0) {
        return;
    }
    unsigned const blocks = (tile_count + small_threads - 1) / small_threads;
    tile_kernel<<<blocks, small_threads, 0, stream>>>(
        parts, part_count, tile_count, keys_per_tile, tiles);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_segment_bins(cudaStream_t stream, int key_bytes, SegmentBins const& bins) {
    std::uint8_t const* const known = bins.counts.words == nullptr ? nullptr : bins.known;
    if (known != nullptr) {
        launch_leading_bins(stream, key_bytes, bins);
    }
    int const steps = (bins.window.end - bins.window.begin + bins.digit_bits - 1) / bins.digit_bits;
    std::uint32_t const segments = bins.segments.segment_count;
    if (bins.tile_count == 0 || steps == 0) {
        return;
    }
    upload_active_fault();
    if (known == nullptr) {
        std::size_t const rows = static_cast<std::size_t>(steps) * segments;
        clear_array(stream, bins.bins, rows << bins.digit_bits);
    }
    with_key_type(key_bytes, [&]<class Key>() { start_count<Key>(stream, bins, steps, known); });
    KEYSWAP_CUDA(cudaGetLastError());
    dim3 const grid{static_cast<unsigned>(steps), segments};
    auto* const sum = bins.digit_bits == wide_step_bits ? bin_sum_kernel<wide_step_bins>
                                                        : bin_sum_kernel<step_bins>;
    sum<<<grid, 1 << bins.digit_bits, 0, stream>>>(bins.bins, known);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
