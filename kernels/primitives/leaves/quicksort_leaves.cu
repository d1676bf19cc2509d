#include "kernels/primitives/leaves/quicksort_leaves.hpp"

#include "kernels/device/cuda_check.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/merge/batcher_network.hpp"
#include "kernels/primitives/merge/network_tile.cuh"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int leaf_threads = 256;
constexpr int network_items = static_cast<int>(network_leaf_max) / leaf_threads;

/// A range of a leaf's keys in one of its buffers. Offsets are relative to the leaf's begin.
struct Stretch {
    std::uint32_t begin;
    std::uint32_t count;
    int buffer;
};

/// Most stretches on the stack: the larger part of each partition waits, and the smaller one has at
/// most half of the keys, until one fits the network.
constexpr int waiting_max = 8;
static_assert(quicksort_leaf_sizes.back() / network_leaf_max < 1U << (waiting_max - 1));

/// Number of elements below, equal to and above the pivot: 21 bits each, so that one prefix sum
/// handles all three.
struct PartCounts {
    std::uint64_t packed = 0;

    static constexpr int bits = 21;
    static_assert(quicksort_leaf_sizes.back() < 1U << bits);
    /// \param part 0 (below), 1 (equal) or 2 (above)
    [[nodiscard]] __device__ std::uint32_t of(int part) const {
        return static_cast<std::uint32_t>(packed >> (part * bits)) & ((1U << bits) - 1);
    }
    __device__ void add(int part) { packed += std::uint64_t{1} << (part * bits); }
};

template <class Key>
__device__ int part_of(Key key, Key pivot) {
    return key < pivot ? 0 : (key == pivot ? 1 : 2);
}

/// The buffers of one leaf.
template <class Key, class Value>
struct Leaf {
    Key* keys[2];
    Value* values[2];
    int to;
    ImageCode decode;

    __device__ Leaf(QuicksortArrays const& arrays, std::uint64_t begin)
        : to(arrays.to), decode(arrays.decode) {
        for (int i = 0; i < 2; ++i) {
            keys[i] = static_cast<Key*>(arrays.keys[i]) + begin;
            values[i] = nullptr;
            if constexpr (is_value<Value>) {
                values[i] = static_cast<Value*>(arrays.values[i]) + begin;
            }
        }
    }
};

/// The median of three keys at random positions.
template <class Key>
__device__ Key pivot_of(Key const* keys, Stretch stretch) {
    Key picks[3];
    for (std::uint32_t i = 0; i < 3; ++i) {
        std::uint64_t const random =
            mix_bits((std::uint64_t{stretch.begin} << 32 | stretch.count) + i);
        picks[i] = keys[stretch.begin + __umul64hi(random, stretch.count)];
    }
    Key const low = picks[1] < picks[0] ? picks[1] : picks[0];
    Key const high = picks[1] < picks[0] ? picks[0] : picks[1];
    return picks[2] < low ? low : (high < picks[2] ? high : picks[2]);
}

using CountScan = cub::BlockScan<std::uint64_t, leaf_threads>;

/// Partitions a stretch into the other buffer: keys below, equal to, above the pivot. Every thread
/// counts its keys; after a prefix sum it reads them again and writes them.
/// \return number of keys in each part
template <class Key, class Value>
__device__ PartCounts divide_stretch(Leaf<Key, Value> const& leaf,
                                     Stretch stretch,
                                     typename CountScan::TempStorage& storage) {
    Key const* const in = leaf.keys[stretch.buffer];
    Key const pivot = pivot_of(in, stretch);
    std::uint32_t const end = stretch.begin + stretch.count;
    PartCounts own;
    for (std::uint32_t i = stretch.begin + threadIdx.x; i < end; i += leaf_threads) {
        own.add(part_of(in[i], pivot));
    }
    PartCounts before;
    PartCounts all;
    CountScan(storage).ExclusiveSum(own.packed, before.packed, all.packed);
    std::uint32_t next[3];
    std::uint32_t part_begin = stretch.begin;
    for (int part = 0; part < 3; ++part) {
        next[part] = part_begin + before.of(part);
        part_begin += all.of(part);
    }
    Key* const out = leaf.keys[1 - stretch.buffer];
    for (std::uint32_t i = stretch.begin + threadIdx.x; i < end; i += leaf_threads) {
        Key const key = in[i];
        int const part = part_of(key, pivot);
        std::uint32_t const place = part == 0 ? next[0]++ : (part == 1 ? next[1]++ : next[2]++);
        out[place] = key;
        if constexpr (is_value<Value>) {
            leaf.values[1 - stretch.buffer][place] = leaf.values[stretch.buffer][i];
        }
    }
    __syncthreads();
    return all;
}

/// Copies sorted keys to the result.
template <class Key, class Value>
__device__ void finish_stretch(Leaf<Key, Value> const& leaf, Stretch stretch) {
    std::uint32_t const end = stretch.begin + stretch.count;
    for (std::uint32_t i = stretch.begin + threadIdx.x; i < end; i += leaf_threads) {
        leaf.keys[leaf.to][i] = decode_image(leaf.keys[stretch.buffer][i], leaf.decode);
        if constexpr (is_value<Value>) {
            leaf.values[leaf.to][i] = leaf.values[stretch.buffer][i];
        }
    }
}

/// Sorts keys that fit the tile into the result. Values are moved by their keys' old positions.
template <class Key, class Value>
__device__ void sort_stretch(Leaf<Key, Value> const& leaf,
                             Stretch stretch,
                             NetworkTile<Key, network_leaf_max, is_value<Value>>& tile) {
    std::uint32_t slots = 1;
    while (slots < stretch.count) {
        slots *= 2;
    }
    Key const* const keys = leaf.keys[stretch.buffer] + stretch.begin;
    for (std::uint32_t slot = threadIdx.x; slot < slots; slot += leaf_threads) {
        tile.images[slot] = slot < stretch.count ? keys[slot] : static_cast<Key>(~Key{0});
        if constexpr (is_value<Value>) {
            tile.places[slot] = static_cast<TilePlace>(slot);
        }
    }
    __syncthreads();
    std::uint32_t const last = kernel_has_fault(DeviceFault::comparators_left_out) ? 2 : 1;
    for (std::uint32_t block = 2; block <= slots; block *= 2) {
        for (std::uint32_t distance = block / 2; distance >= (block == slots ? last : 1);
             distance /= 2) {
            for (std::uint32_t i = threadIdx.x; i < slots / 2; i += leaf_threads) {
                Comparator const comparator = batcher_comparator_of(i, block, distance);
                // Without a comparison, the position may be swapped by another thread.
                if (comparator.lower != comparator.upper) {
                    tile.compare(comparator);
                }
            }
            __syncthreads();
        }
    }
    Key* const keys_out = leaf.keys[leaf.to] + stretch.begin;
    for (std::uint32_t i = threadIdx.x; i < stretch.count; i += leaf_threads) {
        keys_out[i] = decode_image(tile.images[i], leaf.decode);
    }
    if constexpr (is_value<Value>) {
        Value const* const values_in = leaf.values[stretch.buffer] + stretch.begin;
        Value* const values_out = leaf.values[leaf.to] + stretch.begin;
        Value values[network_items];
#pragma unroll
        for (int i = 0; i < network_items; ++i) {
            std::uint32_t const at = static_cast<std::uint32_t>(i) * leaf_threads + threadIdx.x;
            if (at < stretch.count) {
                values[i] = values_in[tile.places[at]];
            }
        }
        __syncthreads(); // input and output may be the same array
#pragma unroll
        for (int i = 0; i < network_items; ++i) {
            std::uint32_t const at = static_cast<std::uint32_t>(i) * leaf_threads + threadIdx.x;
            if (at < stretch.count) {
                values_out[at] = values[i];
            }
        }
    }
    __syncthreads();
}

/// One block per leaf. Branch conditions are uniform across the block.
template <class Key, class Value>
__global__ void __launch_bounds__(leaf_threads)
    quicksort_kernel(ChildTable table, std::uint32_t const* leaves, QuicksortArrays arrays) {
    __shared__ NetworkTile<Key, network_leaf_max, is_value<Value>> tile;
    __shared__ typename CountScan::TempStorage storage;
    __shared__ Stretch waiting[waiting_max];
    std::uint32_t const entry = leaves[blockIdx.x];
    auto const count = static_cast<std::uint32_t>(table.counts[entry]);
    Leaf<Key, Value> const leaf{arrays, table.ends[entry] - count};
    Stretch stretch{0, count, arrays.from};
    int waiting_count = 0;
    while (true) {
        while (stretch.count > network_leaf_max) {
            PartCounts const parts = divide_stretch(leaf, stretch, storage);
            int const buffer = 1 - stretch.buffer;
            Stretch const below{stretch.begin, parts.of(0), buffer};
            Stretch const equal{below.begin + below.count, parts.of(1), buffer};
            Stretch const above{equal.begin + equal.count, parts.of(2), buffer};
            finish_stretch(leaf, equal);
            bool const is_below_larger = below.count > above.count;
            if (threadIdx.x == 0) {
                waiting[waiting_count] = is_below_larger ? below : above;
            }
            ++waiting_count;
            stretch = is_below_larger ? above : below;
            __syncthreads();
        }
        sort_stretch(leaf, stretch, tile);
        if (waiting_count == 0) {
            return;
        }
        stretch = waiting[--waiting_count];
    }
}

} // namespace

void launch_quicksort_leaves(cudaStream_t stream,
                             ElementShape shape,
                             ChildTable const& table,
                             ChildKinds const& kinds,
                             QuicksortArrays const& arrays) {
    upload_active_fault();
    with_wide_element_types(shape, [&]<class Key, class Value>() {
        for (std::size_t leaf_class = leaf_classes; leaf_class-- > 0;) {
            if (kinds.leaves[leaf_class] > 0) {
                quicksort_kernel<Key, Value><<<kinds.leaves[leaf_class], leaf_threads, 0, stream>>>(
                    table, table.leaves + leaf_class * table.entries, arrays);
            }
        }
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
