#include "kernels/primitives/steps/stretch_counts.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/begin_search.cuh"
#include "kernels/primitives/steps/stretch_fill.cuh"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

/// Threads of a block with wide counters, which take 128 KiB: one block per
/// multiprocessor.
constexpr int wide_threads = 1024;
constexpr int wide_bytes = stretch_values * sizeof(std::uint32_t);
constexpr int narrow_bytes =
    narrow_padded_words * sizeof(std::uint32_t) + static_cast<int>(sizeof(FillStorage));

/// One block per stretch.
__global__ void __launch_bounds__(fill_threads, 2) narrow_kernel(BlockStretches sort) {
    extern __shared__ __align__(16) std::uint32_t words[];
    __shared__ std::uint32_t bounds[2];
    auto& storage = *reinterpret_cast<FillStorage*>(words + narrow_padded_words);
    SegmentPart const stretch = sort.stretches[blockIdx.x];
    for (std::uint32_t i = threadIdx.x; i < narrow_padded_words; i += fill_threads) {
        words[i] = 0;
    }
    sort_narrow_stretch(words,
                        storage,
                        bounds,
                        sort.keys_in + stretch.source,
                        sort.keys_out + stretch.destination,
                        static_cast<std::uint32_t>(stretch.count),
                        sort.decode);
}

/// Replaces counts by exclusive prefix sums, with as many threads as the scan.
template <class Scan, int threads>
__device__ void sum_counts(typename Scan::TempStorage& storage, std::uint32_t* words) {
    std::uint32_t before = 0;
    for (std::uint32_t base = 0; base < stretch_values; base += 4 * threads) {
        auto* const own = reinterpret_cast<uint4*>(words + base) + threadIdx.x;
        uint4 const four = *own;
        std::uint32_t const sum = four.x + four.y + four.z + four.w;
        std::uint32_t at = 0;
        std::uint32_t all = 0;
        Scan(storage).ExclusiveSum(sum, at, all);
        at += before;
        *own = make_uint4(at, at + four.x, at + four.x + four.y, at + four.x + four.y + four.z);
        before = kernel_has_fault(DeviceFault::stretch_sums_lost) ? 0 : before + all;
        __syncthreads(); // before storage is reused
    }
}

/// One block per stretch.
__global__ void __launch_bounds__(fill_threads) middle_kernel(BlockStretches sort) {
    extern __shared__ __align__(16) std::uint32_t words[];
    __shared__ FillStorage storage;
    __shared__ std::uint32_t bounds[2];
    SegmentPart const stretch = sort.stretches[blockIdx.x];
    std::uint32_t const* const keys = sort.keys_in + stretch.source;
    std::uint32_t* const out = sort.keys_out + stretch.destination;
    auto const count = static_cast<std::uint32_t>(stretch.count);
    for (std::uint32_t i = threadIdx.x; i < stretch_values; i += fill_threads) {
        words[i] = 0;
    }
    std::uint32_t const high = keys[0] & ~stretch_mask;
    __syncthreads();
    count_tile<fill_threads>(
        keys, count, [](std::uint32_t value) { atomicAdd(&words[value], 1U); });
    __syncthreads();
    sum_counts<FillScan, fill_threads>(storage.scan, words);
    for (std::uint32_t begin = 0; begin < count; begin += stretch_fill_keys) {
        fill_places(
            storage,
            bounds,
            [](std::uint32_t value) { return words[value]; },
            begin,
            min(count, begin + stretch_fill_keys),
            [=](std::uint32_t place, std::uint32_t value) {
                out[place] = decode_image(high | value, sort.decode);
            });
    }
}

/// One block per tile. The counters of a single-tile stretch are written by one block.
__global__ void __launch_bounds__(wide_threads)
    count_kernel(StepBuffers all_keys, SortTile const* tiles, StretchCounters counters) {
    extern __shared__ __align__(16) std::uint32_t words[];
    SortTile const tile = tiles[blockIdx.x];
    auto const* const keys = all_keys.of<std::uint32_t>(tile.buffer) + tile.source;
    for (std::uint32_t i = threadIdx.x; i < stretch_values; i += wide_threads) {
        words[i] = 0;
    }
    __syncthreads();
    std::uint32_t const tail = kernel_has_fault(DeviceFault::segment_tail_skipped) ? 1 : 0;
    count_tile<wide_threads>(
        keys, tile.count - tail, [](std::uint32_t value) { atomicAdd(&words[value], 1U); });
    if (threadIdx.x == 0) {
        // The same for all tiles of a stretch.
        counters.high[tile.segment] = keys[0] & ~stretch_mask;
    }
    __syncthreads();
    std::uint32_t* const counts =
        counters.counts + static_cast<std::uint64_t>(tile.segment) * stretch_values;
    for (std::uint32_t i = threadIdx.x; i < stretch_values; i += wide_threads) {
        if (words[i] != 0) {
            atomicAdd(&counts[i], words[i]);
        }
    }
}

/// One block per stretch; replaces counts by exclusive prefix sums.
__global__ void __launch_bounds__(wide_threads) sum_kernel(std::uint32_t* all_counts) {
    using Scan = cub::BlockScan<std::uint32_t, wide_threads>;
    __shared__ typename Scan::TempStorage storage;
    sum_counts<Scan, wide_threads>(
        storage, all_counts + static_cast<std::uint64_t>(blockIdx.x) * stretch_values);
}

/// One block per tile of the output.
__global__ void __launch_bounds__(fill_threads) fill_kernel(std::uint32_t* keys_out,
                                                            SegmentPart const* places,
                                                            std::uint32_t stretch_count,
                                                            StretchCounters counters,
                                                            ImageCode decode) {
    __shared__ FillStorage storage;
    __shared__ std::uint32_t bounds[2];
    std::uint32_t const tile = blockIdx.x;
    std::uint32_t const stretch = last_beginning_by(
        [places](std::uint32_t i) { return places[i].first_tile; }, 0, stretch_count - 1, tile);
    SegmentPart const place = places[stretch];
    std::uint32_t const begin = (tile - place.first_tile) * stretch_fill_keys;
    std::uint32_t const end =
        min(static_cast<std::uint32_t>(place.count), begin + stretch_fill_keys);
    std::uint32_t const high = counters.high[stretch];
    std::uint32_t const* const begins =
        counters.counts + static_cast<std::uint64_t>(stretch) * stretch_values;
    std::uint32_t* const out = keys_out + place.destination;
    fill_places(
        storage,
        bounds,
        [begins](std::uint32_t value) { return begins[value]; },
        begin,
        end,
        [=](std::uint32_t at, std::uint32_t value) {
            out[at] = decode_image(high | value, decode);
        });
}

/// \param kernel one block per stretch \param bytes of shared memory
void start_by_block(cudaStream_t stream,
                    void (*kernel)(BlockStretches),
                    int bytes,
                    BlockStretches const& sort) {
    if (sort.stretch_count == 0) {
        return;
    }
    upload_active_fault();
    allow_shared_memory(kernel, bytes);
    kernel<<<sort.stretch_count, fill_threads, bytes, stream>>>(sort);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace

void launch_narrow_stretches(cudaStream_t stream, BlockStretches const& sort) {
    start_by_block(stream, narrow_kernel, narrow_bytes, sort);
}

void launch_middle_stretches(cudaStream_t stream, BlockStretches const& sort) {
    start_by_block(stream, middle_kernel, wide_bytes, sort);
}

void launch_stretch_counts(cudaStream_t stream,
                           StepBuffers keys,
                           SortTile const* tiles,
                           std::uint32_t tile_count,
                           std::uint32_t stretch_count,
                           StretchCounters const& counters) {
    if (tile_count == 0) {
        return;
    }
    upload_active_fault();
    KEYSWAP_CUDA(
        cudaMemsetAsync(counters.counts,
                        0,
                        std::size_t{stretch_count} * stretch_values * sizeof(std::uint32_t),
                        stream));
    allow_shared_memory(count_kernel, wide_bytes);
    count_kernel<<<tile_count, wide_threads, wide_bytes, stream>>>(keys, tiles, counters);
    KEYSWAP_CUDA(cudaGetLastError());
    sum_kernel<<<stretch_count, wide_threads, 0, stream>>>(counters.counts);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_stretch_fill(cudaStream_t stream,
                         std::uint32_t* keys_out,
                         SegmentPart const* places,
                         std::uint32_t stretch_count,
                         std::uint32_t tile_count,
                         StretchCounters const& counters,
                         ImageCode decode) {
    if (tile_count == 0) {
        return;
    }
    fill_kernel<<<tile_count, fill_threads, 0, stream>>>(
        keys_out, places, stretch_count, counters, decode);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
