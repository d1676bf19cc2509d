#pragma once

/// \file The sort of a leaf by bins: a block counts its keys in about as many bins of equal width
/// and orders them by bin in shared memory. If no bin holds more than a few keys, threads then sort
/// rows of 16 adjacent words by a network, twice: from the first position and, offset by half a
/// row, again, which brings every key to its position. Otherwise each key is compared with all of
/// its bin. Reads and writes every key once. Leaves with far too many keys in a bin are left to a
/// merge sort. Atomics rank the keys of a bin; for a stable sort, each key is compared with its
/// bin, along with its input position. Source: one level of the hybrid radix sort's local sort
/// (Stehle, Jacobsen 2017), with bins from the leaf's own range.

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/leaves/leaf_bins.hpp"
#include "kernels/primitives/leaves/leaf_sort.hpp"
#include "kernels/primitives/leaves/leaf_tile.cuh"
#include "kernels/primitives/steps/tile_ranks.cuh"
#include "traces/errors/contracts.hpp"

namespace keyswap::kernels::leaf_sort_detail {

constexpr int warp_size = 32;

/// Shape of a block for leaves: keys and bins per thread (a multiple of the four read at
/// once), maximal number of threads, and blocks per multiprocessor. Smaller leaves use fewer
/// threads.
template <int items_of_thread, int bins_of_thread, int most_threads, int blocks_together>
struct BinBlock {
    static constexpr int items = items_of_thread;
    static constexpr int bins = bins_of_thread;
    static constexpr int threads_max = most_threads;
    static constexpr int blocks = blocks_together;
};

/// On one H100, 2^28 elements in leaves of 3,800 to 7,630 (2026-11-25): 32-bit keys 1.26 to 1.35
/// ms, down from 1.51 to 1.63 with 16 keys per thread, 512 threads and no rows; 32-bit pairs 2.26
/// to 2.47, down from 2.59 to 2.94.
template <class Key, class Value>
struct UsualBinBlock : BinBlock<8, 8, 1024, 1> {};
template <>
struct UsualBinBlock<std::uint32_t, NoValue> : BinBlock<12, 8, 704, 2> {};
template <>
struct UsualBinBlock<std::uint32_t, std::uint32_t> : BinBlock<13, 8, 640, 2> {};
template <class Value>
struct UsualBinBlock<std::uint64_t, Value> : BinBlock<8, 4, 512, 2> {};
template <>
struct UsualBinBlock<std::uint64_t, NoValue> : BinBlock<12, 8, 352, 3> {};
/// For leaves of 32-bit keys too large for the block above: one block occupies a multiprocessor and
/// takes 1.4 times as long per key, which is still less than a level.
using LargeBinBlock = BinBlock<18, 12, 928, 1>;

/// Most keys in a bin for row sorts: two rows that overlap by half bring the keys of such a bin to
/// their positions, wherever the bin begins.
constexpr std::uint32_t row_bin_max = row_words / 2 + 1;
/// Most keys in a bin for comparisons with the whole bin; these then cost as much as a merge sort.
constexpr std::uint32_t bin_keys_max = 128;

/// Shared memory of a block in bytes: elements in order, then the begins of bins.
template <class Tile, class Block>
constexpr std::size_t bin_bytes(std::size_t threads) {
    return threads * Block::items * Tile::element_bytes +
           (threads * Block::bins + 4) * sizeof(std::uint32_t);
}

template <class Key>
struct KeyRangeOfBlock {
    Key low;
    Key high;
};

template <class Key>
__device__ KeyRangeOfBlock<Key> joined(KeyRangeOfBlock<Key> a, KeyRangeOfBlock<Key> b) {
    return {a.low < b.low ? a.low : b.low, a.high < b.high ? b.high : a.high};
}

/// Range over all lanes of a warp.
template <class Key>
__device__ KeyRangeOfBlock<Key> range_of_warp(KeyRangeOfBlock<Key> range) {
    constexpr std::uint32_t whole_warp = 0xffffffffU;
#if __CUDA_ARCH__ >= 800
    constexpr bool reduces = sizeof(Key) == 4;
#else
    constexpr bool reduces = false;
#endif
    if constexpr (reduces) {
        range = {__reduce_min_sync(whole_warp, range.low),
                 __reduce_max_sync(whole_warp, range.high)};
    } else {
#pragma unroll
        for (int lanes = warp_size / 2; lanes > 0; lanes /= 2) {
            range = joined(range,
                           {static_cast<Key>(__shfl_xor_sync(whole_warp, range.low, lanes)),
                            static_cast<Key>(__shfl_xor_sync(whole_warp, range.high, lanes))});
        }
    }
    return range;
}

/// Inclusive prefix sum over the lanes of a warp.
__device__ inline std::uint32_t sum_to_lane(std::uint32_t value) {
    constexpr std::uint32_t whole_warp = 0xffffffffU;
    int const lane = static_cast<int>(threadIdx.x) % warp_size;
#pragma unroll
    for (int lanes = 1; lanes < warp_size; lanes *= 2) {
        std::uint32_t const before = __shfl_up_sync(whole_warp, value, lanes);
        value += lane >= lanes ? before : 0;
    }
    return value;
}

/// Size of the fullest bin.
enum class FullestBin { fits_rows, fits_bin, crowded };

/// Replaces a block's counts by the begins of the bins, followed by the number of keys.
/// \param warps shared, receives the keys of each warp
template <int bins>
__device__ FullestBin sum_bins(std::uint32_t* begins, std::uint32_t* warps) {
    static_assert(bins % 4 == 0);
    constexpr std::uint32_t whole_warp = 0xffffffffU;
    auto* const own = reinterpret_cast<uint4*>(begins + threadIdx.x * bins);
    std::uint32_t counts[bins];
#pragma unroll
    for (int i = 0; i < bins / 4; ++i) {
        uint4 const four = own[i];
        counts[4 * i] = four.x;
        counts[4 * i + 1] = four.y;
        counts[4 * i + 2] = four.z;
        counts[4 * i + 3] = four.w;
    }
    std::uint32_t sum = 0;
    std::uint32_t most = 0;
#pragma unroll
    for (int i = 0; i < bins; ++i) {
        std::uint32_t const count = counts[i];
        counts[i] = sum;
        sum += count;
        most = count > most ? count : most;
    }
    auto const lane = threadIdx.x % warp_size;
    auto const warp = threadIdx.x / warp_size;
    std::uint32_t const to_lane = sum_to_lane(sum);
    if (lane == warp_size - 1) {
        warps[warp] = to_lane;
    }
    bool const is_crowded = __syncthreads_or(most > bin_keys_max ? 1 : 0) != 0;
    bool const is_uneven = __syncthreads_or(most > row_bin_max ? 1 : 0) != 0;
    std::uint32_t const to_warp = sum_to_lane(lane < blockDim.x / warp_size ? warps[lane] : 0);
    std::uint32_t const before_warp =
        warp == 0 ? 0 : __shfl_sync(whole_warp, to_warp, static_cast<int>(warp) - 1);
    std::uint32_t const before = before_warp + to_lane - sum;
#pragma unroll
    for (int i = 0; i < bins / 4; ++i) {
        own[i] = {before + counts[4 * i],
                  before + counts[4 * i + 1],
                  before + counts[4 * i + 2],
                  before + counts[4 * i + 3]};
    }
    if (threadIdx.x == blockDim.x - 1) {
        begins[blockDim.x * bins] = before + sum;
    }
    return is_crowded  ? FullestBin::crowded
           : is_uneven ? FullestBin::fits_bin
                       : FullestBin::fits_rows;
}

/// Sorts elements that are ordered by bins of at most row_bin_max keys.
/// \pre positions from `count` to the end of a row, and half a row beyond, hold last words
template <class Tile>
__device__ void sort_rows(Tile& tile, std::uint32_t count, std::uint32_t capacity) {
    typename Tile::Word words[row_words];
    auto const end = static_cast<int>(count);
    auto const threads = static_cast<int>(blockDim.x);
    for (int row = static_cast<int>(threadIdx.x); row * row_words < end; row += threads) {
        tile.load_row(row * row_words, words);
        sort_row(words, typename Tile::Exchange{});
        tile.store_row(row * row_words, words);
    }
    __syncthreads();
    constexpr int half = row_words / 2;
    int const first = kernel_has_fault(DeviceFault::row_border_left) ? 1 : 0;
    for (int row = static_cast<int>(threadIdx.x) + first;
         row * row_words + half < end &&
         row * row_words + half + row_words <= static_cast<int>(capacity);
         row += threads) {
        tile.load_row(row * row_words + half, words);
        merge_row(words, typename Tile::Exchange{});
        tile.store_row(row * row_words + half, words);
    }
    __syncthreads();
}

/// Destination of a leaf.
template <class Key, class Value>
struct LeafOutput {
    Key* keys;
    Value* values;
    ImageMasks<Key> decode;

    template <class Tile>
    __device__ void write(Tile const& tile, std::uint32_t at, std::uint32_t place) const {
        keys[place] = decode.apply(tile.key(at));
        if constexpr (is_value<Value>) {
            values[place] = tile.value(at);
        }
    }
};

/// Final position of an element of a tile that is ordered by bins: after all smaller elements of
/// its bin.
template <class Key, class Tile>
__device__ std::uint32_t place_among_bins(Tile const& tile,
                                          std::uint32_t const* begins,
                                          BinScale<Key> scale,
                                          std::uint32_t at) {
    Key const key = tile.key(at);
    std::uint32_t const bin = scale.bin_of(key);
    std::uint32_t const bin_end = begins[bin + 1];
    std::uint32_t other = begins[bin];
    std::uint32_t place = other;
    for (; other < bin_end; ++other) {
        Key const neighbour = tile.key(other);
        bool const is_before =
            neighbour < key || (neighbour == key && tile.is_before(other, at) &&
                                !kernel_has_fault(DeviceFault::bin_ties_collide));
        place += is_before ? 1 : 0;
    }
    return place;
}

/// Writes elements ordered by bins to their final positions. Not inlined, as its registers would be
/// taken from the path of all leaves.
template <class Key, class Value, class Tile>
__device__ __noinline__ void write_bins(Tile tile,
                                        std::uint32_t const* begins,
                                        BinScale<Key> scale,
                                        std::uint32_t count,
                                        LeafOutput<Key, Value> output) {
    for (std::uint32_t at = threadIdx.x; at < count; at += blockDim.x) {
        output.write(tile, at, place_among_bins(tile, begins, scale, at));
    }
}

/// Sorts elements ordered by bins, within the tile; not inlined for the same reason.
template <int items, class Key>
__device__ __noinline__ void
order_bins(PlaceTile tile, std::uint32_t const* begins, BinScale<Key> scale, std::uint32_t count) {
    Key keys[items];
    HalfWords<items> sources;
    HalfWords<items> places;
    auto const at = [](int i) { return static_cast<std::uint32_t>(i) * blockDim.x + threadIdx.x; };
#pragma unroll
    for (int i = 0; i < items; ++i) {
        bool const is_key = at(i) < count;
        keys[i] = is_key ? tile.key(at(i)) : 0;
        sources.set(i, is_key ? tile.source(at(i)) : 0);
        places.set(i, is_key ? place_among_bins(tile, begins, scale, at(i)) : 0);
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (at(i) < count) {
            tile.put(places.at(i), keys[i], sources.at(i));
        }
    }
    __syncthreads();
}

/// Writes sorted keys, and their values by the positions they came from.
/// \param memory of the tile; overwritten by values
template <int items, class Value>
__device__ void write_by_source(PlaceTile const& tile,
                                unsigned char* memory,
                                Value const* values_in,
                                std::uint32_t count,
                                LeafOutput<std::uint32_t, Value> output) {
    static_assert(sizeof(Value) <= PlaceTile::element_bytes);
    auto const at = [](int i) { return static_cast<std::uint32_t>(i) * blockDim.x + threadIdx.x; };
    Value values[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        values[i] = at(i) < count ? values_in[at(i)] : Value{0};
    }
    if (kernel_has_fault(DeviceFault::values_by_other_rank)) {
        values[0] = values[1];
    }
    HalfWords<items> sources;
#pragma unroll
    for (int i = 0; i < items; ++i) {
        bool const is_key = at(i) < count;
        sources.set(i, is_key ? tile.source(at(i)) : 0);
        if (is_key) {
            output.keys[at(i)] = output.decode.apply(tile.key(at(i)));
        }
    }
    __syncthreads(); // input and output may be the same array
    auto* const shared_values = reinterpret_cast<Value*>(memory);
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (at(i) < count) {
            shared_values[at(i)] = values[i];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (at(i) < count) {
            output.values[at(i)] = shared_values[sources.at(i)];
        }
    }
}

/// The sort of one leaf by a block.
template <class Key, class Value, Stability ties, class Block>
class BinLeaf {
    using Tile = LeafTile<Key, Value, ties>;
    static constexpr int items = Block::items;
    using Keys = Key[items];
    using Values = Value[items];
    static constexpr int warps_max = Block::threads_max / warp_size;
    static_assert(Block::threads_max % warp_size == 0 && warps_max <= warp_size);

  public:
    struct Shared {
        KeyRangeOfBlock<Key> ranges[warps_max];
        std::uint32_t warps[warps_max];
    };

    /// \param bytes [bin_bytes] shared memory
    __device__ BinLeaf(ChildTable const& table,
                       std::uint32_t entry,
                       LeafArrays const& arrays,
                       Shared& shared,
                       unsigned char* bytes)
        : table_(table), entry_(entry), arrays_(arrays), shared_(shared), bytes_(bytes),
          count_(static_cast<int>(table.counts[entry])),
          begin_(table.ends[entry] - static_cast<std::uint64_t>(count_)),
          capacity_(blockDim.x * items), tile_{bytes, capacity_},
          begins_(reinterpret_cast<std::uint32_t*>(bytes +
                                                   std::size_t{capacity_} * Tile::element_bytes)),
          threads_(static_cast<int>(blockDim.x)), thread_(static_cast<int>(threadIdx.x)) {}

    __device__ void sort() {
        Keys keys;
        load(keys);
        BinScale<Key> const scale = scale_of(keys);
        HalfWords<items> ranks; // within their bins
#pragma unroll
        for (int i = 0; i < items; ++i) {
            ranks.set(i, is_key(i) ? atomicAdd(&begins_[scale.bin_of(keys[i])], 1U) : 0U);
        }
        __syncthreads();
        FullestBin const fullest = sum_bins<Block::bins>(begins_, shared_.warps);
        bool is_in_order = scale.is_exact() && ties == Stability::unstable; // if ordered by bins
        if (fullest == FullestBin::crowded && !is_in_order) {
            leave_to_merge_sort();
            return;
        }
        order_by_bins(keys, ranks, scale);
        if constexpr (Tile::has_rows) {
            bool const has_rows = !is_in_order && fullest == FullestBin::fits_rows;
            fill_last_row(has_rows);
            __syncthreads();
            if (has_rows) {
                sort_rows(tile_, static_cast<std::uint32_t>(count_), capacity_);
                is_in_order = true;
            }
        } else {
            __syncthreads();
        }
        write(scale, is_in_order);
    }

  private:
    [[nodiscard]] __device__ bool is_key(int i) const {
        return i * threads_ + thread_ < count_;
    }

    /// Loads keys and clears the bins.
    __device__ void load(Keys& keys) {
        Key const* const keys_in = static_cast<Key const*>(arrays_.keys_in) + begin_;
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                keys[i] = keys_in[i * threads_ + thread_];
            }
        }
#pragma unroll
        for (int i = 0; i < Block::bins / 4; ++i) {
            reinterpret_cast<uint4*>(begins_)[i * threads_ + thread_] = {0, 0, 0, 0};
        }
    }

    /// Bins between the smallest and largest key of the leaf.
    __device__ BinScale<Key> scale_of(Keys const& keys) {
        KeyRangeOfBlock<Key> range{static_cast<Key>(~Key{0}), 0};
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                range = joined(range, {keys[i], keys[i]});
            }
        }
        range = range_of_warp(range);
        if (thread_ % warp_size == 0) {
            shared_.ranges[thread_ / warp_size] = range;
        }
        __syncthreads();
        int const lane = thread_ % warp_size;
        range = range_of_warp(shared_.ranges[lane < threads_ / warp_size ? lane : 0]);
        return bin_scale(range.low, range.high, blockDim.x * Block::bins);
    }

    __device__ void leave_to_merge_sort() {
        if (thread_ == 0 && !kernel_has_fault(DeviceFault::crowded_leaf_left)) {
            std::uint32_t const at = atomicAdd(&table_.kinds->crowded, 1U);
            table_.leaves[leaf_classes * static_cast<std::uint64_t>(table_.entries) + at] = entry_;
        }
    }

    [[nodiscard]] __device__ Value const* values_in() const {
        return static_cast<Value const*>(arrays_.values_in) + begin_;
    }

    /// Reads values, if stored in the tile, and moves elements into it in order of bins.
    __device__ void
    order_by_bins(Keys const& keys, HalfWords<items> const& ranks, BinScale<Key> scale) {
        Values values;
        if constexpr (is_value<Value> && Tile::has_values) {
#pragma unroll
            for (int i = 0; i < items; ++i) {
                if (is_key(i)) {
                    values[i] = values_in()[i * threads_ + thread_];
                }
            }
            if (kernel_has_fault(DeviceFault::values_by_other_rank)) {
                values[0] = values[1];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                std::uint32_t const place = begins_[scale.bin_of(keys[i])] + ranks.at(i);
                auto const source = static_cast<std::uint32_t>(i * threads_ + thread_);
                if constexpr (Tile::has_values) {
                    tile_.put(place, keys[i], values[i], source);
                } else {
                    tile_.put(place, keys[i], source);
                }
            }
        }
    }

    /// Fills positions up to the end of a row, and half a row beyond, with last words.
    __device__ void fill_last_row(bool has_rows) {
        auto const behind = static_cast<std::uint32_t>(count_ + thread_);
        if (has_rows && thread_ < 2 * row_words && behind < capacity_) {
            tile_.put_last(behind);
        }
    }

    /// Sorts elements within bins, unless already sorted, and writes all elements.
    __device__ void write(BinScale<Key> scale, bool is_in_order) {
        LeafOutput<Key, Value> const output{static_cast<Key*>(arrays_.keys_out) + begin_,
                                            static_cast<Value*>(arrays_.values_out) + begin_,
                                            decoding_masks<Key>(arrays_.decode)};
        auto const key_count = static_cast<std::uint32_t>(count_);
        if constexpr (!Tile::has_values) {
            if (!is_in_order) {
                order_bins<items>(tile_, begins_, scale, key_count);
            }
            write_by_source<items>(tile_, bytes_, values_in(), key_count, output);
        } else if (!is_in_order) {
            write_bins<Key, Value, Tile>(tile_, begins_, scale, key_count, output);
        } else {
#pragma unroll
            for (int i = 0; i < items; ++i) {
                if (is_key(i)) {
                    auto const at = static_cast<std::uint32_t>(i * threads_ + thread_);
                    output.write(tile_, at, at);
                }
            }
        }
    }

    ChildTable const& table_;
    std::uint32_t entry_;
    LeafArrays const& arrays_;
    Shared& shared_;
    unsigned char* bytes_;
    int count_;
    std::uint64_t begin_;
    std::uint32_t capacity_;
    Tile tile_;
    std::uint32_t* begins_; ///< keys per bin, then begins of bins
    int threads_;
    int thread_;
};

template <class Key, class Value, Stability ties, class Block>
__global__ void __launch_bounds__(Block::threads_max, Block::blocks)
    bin_leaf_kernel(ChildTable table, std::uint32_t const* leaves, LeafArrays arrays) {
    using Leaf = BinLeaf<Key, Value, ties, Block>;
    extern __shared__ __align__(16) unsigned char leaf_bytes[];
    __shared__ typename Leaf::Shared shared;
    Leaf{table, leaves[blockIdx.x], arrays, shared, leaf_bytes}.sort();
}

template <class Key, class Value, Stability ties, class Block>
void start_bin_blocks(cudaStream_t stream, LeafSort const& sort, std::size_t leaf_class) {
    std::uint32_t const size = leaf_sizes(sizeof(Key), value_bytes<Value>)[leaf_class];
    constexpr std::uint32_t warp_items = Block::items * warp_size;
    unsigned const threads = (size + warp_items - 1) / warp_items * warp_size;
    KEYSWAP_EXPECTS(threads <= Block::threads_max);
    auto const kernel = bin_leaf_kernel<Key, Value, ties, Block>;
    using Tile = LeafTile<Key, Value, ties>;
    allow_shared_memory(kernel, bin_bytes<Tile, Block>(Block::threads_max));
    std::uint32_t const* const leaves = sort.table.leaves + leaf_class * sort.table.entries;
    kernel<<<sort.kinds.leaves[leaf_class], threads, bin_bytes<Tile, Block>(threads), stream>>>(
        sort.table, leaves, sort.arrays);
    KEYSWAP_CUDA(cudaGetLastError());
}

/// Launches the sort of one class's leaves by bins.
template <class Key, class Value, Stability ties>
void start_bins(cudaStream_t stream, LeafSort const& sort, std::size_t leaf_class) {
    if (sort.kinds.leaves[leaf_class] == 0) {
        return;
    }
    if constexpr (has_large_leaves(sizeof(Key), value_bytes<Value>)) {
        if (leaf_class + 1 == leaf_classes) {
            return start_bin_blocks<Key, Value, ties, LargeBinBlock>(stream, sort, leaf_class);
        }
    }
    // Values that are not part of the tile need no memory in it.
    using TileValue = std::conditional_t<LeafTile<Key, Value, ties>::has_values, Value, Key>;
    start_bin_blocks<Key, Value, ties, UsualBinBlock<Key, TileValue>>(stream, sort, leaf_class);
}

} // namespace keyswap::kernels::leaf_sort_detail
