#include "kernels/primitives/steps/direct_step.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/steps/tree_label.cuh"

namespace keyswap::kernels {

namespace {

/// Arrays of counters per block, one for each group of its threads, which reduces contention.
constexpr int counter_arrays = 8;
constexpr int group_threads = direct_threads / counter_arrays;

/// A segment's part of the count table.
struct TableRows {
    std::uint64_t begin;     ///< index of its first entry
    std::uint32_t row_tiles; ///< entries per bucket

    __device__ TableRows(DirectTiles const& tiles, std::uint32_t segment)
        : begin(std::uint64_t{tiles.parts[segment].segment_tile} * direct_ways),
          row_tiles(static_cast<std::uint32_t>((tiles.parts[segment].count + direct_tile_keys - 1) /
                                               direct_tile_keys)) {}
    /// \param tile index within the segment
    [[nodiscard]] __device__ std::uint64_t entry(std::uint32_t bucket, std::uint32_t tile) const {
        return begin + std::uint64_t{bucket} * row_tiles + tile;
    }
};

template <class Key>
__device__ void load_tree(Key* tree, DirectTiles const& tiles, std::uint32_t segment) {
    if (threadIdx.x < direct_ways) {
        tree[threadIdx.x] = static_cast<Key const*>(
            tiles.trees)[std::uint64_t{segment} * direct_ways + threadIdx.x];
    }
}

/// Grid: tiles.
template <class Key>
__global__ void __launch_bounds__(direct_threads) count_kernel(Key const* keys, DirectTiles tiles) {
    __shared__ Key tree[direct_ways];
    __shared__ std::uint32_t counters[counter_arrays][direct_ways];
    SortTile const tile = tiles.tiles[blockIdx.x];
    load_tree(tree, tiles, tile.segment);
    for (std::uint32_t i = threadIdx.x; i < counter_arrays * direct_ways; i += direct_threads) {
        counters[i / direct_ways][i % direct_ways] = 0;
    }
    __syncthreads();
    std::uint32_t* const own = counters[threadIdx.x / group_threads];
    for (std::uint32_t i = threadIdx.x; i < tile.count; i += direct_threads) {
        atomicAdd(&own[label_in_tree<direct_levels>(tree, keys[tile.source + i])], 1U);
    }
    __syncthreads();
    if (threadIdx.x < direct_ways) {
        std::uint32_t count = 0;
        for (auto const& array : counters) {
            count += array[threadIdx.x];
        }
        TableRows const rows{tiles, tile.segment};
        tiles.table[rows.entry(threadIdx.x, blockIdx.x - tile.segment_tile)] = count;
    }
}

/// Grid: segments.
__global__ void __launch_bounds__(direct_ways)
    direct_child_kernel(DirectTiles tiles, std::uint64_t* counts, std::uint64_t* ends) {
    SegmentPart const part = tiles.parts[blockIdx.x];
    TableRows const rows{tiles, blockIdx.x};
    std::uint32_t const bucket = threadIdx.x;
    std::uint32_t const before = tiles.table[rows.begin];
    std::uint32_t const begin = tiles.table[rows.entry(bucket, 0)] - before;
    std::uint32_t const end = bucket + 1 < direct_ways
                                  ? tiles.table[rows.entry(bucket + 1, 0)] - before
                                  : static_cast<std::uint32_t>(part.count);
    std::uint64_t const at = std::uint64_t{blockIdx.x} * direct_ways + bucket;
    counts[at] = end - begin;
    ends[at] = part.destination + end;
}

/// Grid: tiles.
template <class Key, class Value>
__global__ void __launch_bounds__(direct_threads)
    scatter_kernel(DirectTiles tiles, MovedArrays arrays) {
    __shared__ Key tree[direct_ways];
    __shared__ std::uint32_t places[direct_ways]; // in the segment, of each bucket's next key
    SortTile const tile = tiles.tiles[blockIdx.x];
    load_tree(tree, tiles, tile.segment);
    std::uint64_t const segment_keys = tiles.parts[tile.segment].count;
    if (threadIdx.x < direct_ways) {
        TableRows const rows{tiles, tile.segment};
        places[threadIdx.x] = tiles.table[rows.entry(threadIdx.x, blockIdx.x - tile.segment_tile)] -
                              tiles.table[rows.begin];
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < tile.count; i += direct_threads) {
        std::uint64_t const from = tile.source + i;
        Key const key = static_cast<Key const*>(arrays.keys_in)[from];
        std::uint32_t const place = atomicAdd(&places[label_in_tree<direct_levels>(tree, key)], 1U);
        if (!is_place(place, segment_keys)) {
            continue;
        }
        std::uint64_t const to = tile.destination + place;
        static_cast<Key*>(arrays.keys_out)[to] = key;
        if constexpr (is_value<Value>) {
            static_cast<Value*>(arrays.values_out)[to] =
                static_cast<Value const*>(arrays.values_in)[from];
        }
    }
}

} // namespace

void launch_direct_counts(cudaStream_t stream,
                          int key_bytes,
                          void const* keys,
                          DirectTiles const& tiles) {
    upload_active_fault();
    if (tiles.tile_count == 0) {
        return;
    }
    with_key_word(key_bytes, [&]<class Key>() {
        count_kernel<Key>
            <<<tiles.tile_count, direct_threads, 0, stream>>>(static_cast<Key const*>(keys), tiles);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_direct_children(cudaStream_t stream,
                            DirectTiles const& tiles,
                            std::uint64_t* counts,
                            std::uint64_t* ends) {
    if (tiles.segment_count == 0) {
        return;
    }
    direct_child_kernel<<<tiles.segment_count, direct_ways, 0, stream>>>(tiles, counts, ends);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_direct_scatter(cudaStream_t stream,
                           ElementShape shape,
                           DirectTiles const& tiles,
                           MovedArrays const& arrays) {
    upload_active_fault();
    if (tiles.tile_count == 0) {
        return;
    }
    with_wide_element_types(shape, [&]<class Key, class Value>() {
        scatter_kernel<Key, Value><<<tiles.tile_count, direct_threads, 0, stream>>>(tiles, arrays);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
