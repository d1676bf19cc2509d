#pragma once

/// \file The body of leaf sorts and segment trees for one key width; included by one .cu per width,
/// so that widths compile in parallel.

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/leaves/leaf_bins.cuh"
#include "kernels/primitives/leaves/leaf_sort_widths.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cub/block/block_exchange.cuh>
#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>

#include <cstddef>
#include <utility>

namespace keyswap::kernels::leaf_sort_detail {

struct Below {
    template <class Key>
    __device__ bool operator()(Key a, Key b) const {
        return a < b;
    }
};

/// The CUB types of a block-level merge sort and their shared memory.
template <class Key, int threads, int items, class Value>
struct MergeSort {
    using Place = std::uint16_t;
    using SortedValue = std::conditional_t<is_value<Value>, Place, cub::NullType>;
    using Load = cub::BlockLoad<Key, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Sort = cub::BlockMergeSort<Key, threads, items, SortedValue>;
    using KeyExchange = cub::BlockExchange<Key, threads, items>;
    using PlaceExchange = cub::BlockExchange<Place, threads, items>;
    union Shared {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
        typename KeyExchange::TempStorage keys;
        typename PlaceExchange::TempStorage places;
    };
};

/// Values are moved by the positions that their keys had in the leaf.
template <class Key, int threads, int items, class Value>
__device__ void
merge_sort_leaf(ChildTable const& table, std::uint32_t entry, LeafArrays const& arrays) {
    using Steps = MergeSort<Key, threads, items, Value>;
    using Place = typename Steps::Place;
    using Load = typename Steps::Load;
    using Sort = typename Steps::Sort;
    using KeyExchange = typename Steps::KeyExchange;
    using PlaceExchange = typename Steps::PlaceExchange;
    extern __shared__ __align__(16) unsigned char leaf_bytes[];
    auto& shared = *reinterpret_cast<typename Steps::Shared*>(leaf_bytes);
    auto const count = static_cast<int>(table.counts[entry]);
    std::uint64_t const begin = table.ends[entry] - static_cast<std::uint64_t>(count);
    Key keys[items];
    // The sort is stable, so padding remains after keys with the largest image.
    Load(shared.load)
        .Load(static_cast<Key const*>(arrays.keys_in) + begin,
              keys,
              count,
              static_cast<Key>(~Key{0}));
    __syncthreads();
    Key* const keys_out = static_cast<Key*>(arrays.keys_out) + begin;
    if constexpr (is_value<Value>) {
        Place places[items];
#pragma unroll
        for (int i = 0; i < items; ++i) {
            places[i] = static_cast<Place>(threadIdx.x * items + i);
        }
        Sort(shared.sort).Sort(keys, places, Below{});
        __syncthreads();
        PlaceExchange(shared.places).BlockedToStriped(places);
        __syncthreads();
        Value const* const values_in = static_cast<Value const*>(arrays.values_in) + begin;
        Value values[items];
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (i * threads + static_cast<int>(threadIdx.x) < count) {
                values[i] = values_in[places[i]];
            }
        }
        __syncthreads(); // input and output may be the same array
        Value* const values_out = static_cast<Value*>(arrays.values_out) + begin;
#pragma unroll
        for (int i = 0; i < items; ++i) {
            int const at = i * threads + static_cast<int>(threadIdx.x);
            if (at < count) {
                values_out[at] = values[i];
            }
        }
    } else {
        Sort(shared.sort).Sort(keys, Below{});
        __syncthreads();
    }
    KeyExchange(shared.keys).BlockedToStriped(keys);
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = i * threads + static_cast<int>(threadIdx.x);
        if (at < count) {
            keys_out[at] = decode_image(keys[i], arrays.decode);
        }
    }
}

/// One block per leaf.
template <class Key, int threads, int items, class Value>
__global__ void __launch_bounds__(threads)
    leaf_kernel(ChildTable table, std::uint32_t const* leaves, LeafArrays arrays) {
    merge_sort_leaf<Key, threads, items, Value>(table, leaves[blockIdx.x], arrays);
}

/// Launches a kernel of merge-sorting blocks.
template <class Key, int threads, int items, class Value, class Kernel, class... Arguments>
void start_merge_blocks(cudaStream_t stream,
                        Kernel kernel,
                        std::uint32_t blocks,
                        Arguments const&... arguments) {
    constexpr int shared_bytes = sizeof(typename MergeSort<Key, threads, items, Value>::Shared);
    allow_shared_memory(kernel, shared_bytes);
    kernel<<<blocks, threads, shared_bytes, stream>>>(arguments...);
    KEYSWAP_CUDA(cudaGetLastError());
}

template <class Key, std::size_t leaf_class>
void start_class(cudaStream_t stream, LeafSort const& sort) {
    std::uint32_t const count = sort.kinds.leaves[leaf_class];
    if (count == 0) {
        return;
    }
    constexpr BlockShape block = wide_leaf_blocks[leaf_class];
    std::uint32_t const* const leaves = sort.table.leaves + leaf_class * sort.table.entries;
    with_value_type(sort.shape.value_bytes, [&]<class Value>() {
        start_merge_blocks<Key, block.threads, block.items, Value>(
            stream,
            leaf_kernel<Key, block.threads, block.items, Value>,
            count,
            sort.table,
            leaves,
            sort.arrays);
    });
}

/// Sorts every leaf by the merge sort of its class.
template <class Key, std::size_t... classes>
void merge_leaves(std::span<cudaStream_t const> streams,
                  LeafSort const& sort,
                  std::index_sequence<classes...> /*all*/) {
    (start_class<Key, leaf_classes - 1 - classes>(streams[classes % streams.size()], sort), ...);
}

/// Sorts crowded leaves with more than `least` keys, which the sort by bins has left.
template <class Key, int threads, int items, class Value>
__global__ void __launch_bounds__(threads)
    crowded_leaf_kernel(ChildTable table, LeafArrays arrays, std::uint64_t least) {
    std::uint32_t const* const leaves =
        table.leaves + leaf_classes * static_cast<std::uint64_t>(table.entries);
    std::uint32_t const leaf_count = table.kinds->crowded;
    for (std::uint32_t i = blockIdx.x; i < leaf_count; i += gridDim.x) {
        std::uint64_t const keys = table.counts[leaves[i]];
        if (keys > least && keys <= threads * items) {
            merge_sort_leaf<Key, threads, items, Value>(table, leaves[i], arrays);
            __syncthreads(); // before shared memory is reused
        }
    }
}

/// Blocks of the merge sort: two per multiprocessor of an H200; some may find no leaf.
constexpr std::uint32_t crowded_blocks = 264;

/// Launches merge sorts for crowded leaves with more than `least` keys.
template <class Key, class Value, int threads, int items>
void start_crowded(cudaStream_t stream,
                   std::uint32_t blocks,
                   LeafSort const& sort,
                   std::uint64_t least) {
    start_merge_blocks<Key, threads, items, Value>(stream,
                                                   crowded_leaf_kernel<Key, threads, items, Value>,
                                                   blocks,
                                                   sort.table,
                                                   sort.arrays,
                                                   least);
}

/// Sorts every leaf by bins, crowded leaves by merge sorts of two or three sizes.
template <class Key, class Value, Stability ties>
void bin_leaves(cudaStream_t stream, LeafSort const& sort) {
    std::uint32_t leaf_count = 0;
    for (std::size_t leaf_class = leaf_classes; leaf_class-- > 0;) {
        start_bins<Key, Value, ties>(stream, sort, leaf_class);
        leaf_count += sort.kinds.leaves[leaf_class];
    }
    if (leaf_count == 0) {
        return;
    }
    // Odd items per thread, so that adjacent threads' keys begin in different banks.
    constexpr int half = sizeof(Key) == 8 ? 2 : 1;
    constexpr int few_threads = 256 / half;
    constexpr int few_items = 9;
    constexpr int many_threads = 512 / half;
    constexpr int many_items = 17;
    constexpr int most_threads = 2 * many_threads;
    constexpr std::uint32_t leaf = leaf_max(sizeof(Key), value_bytes<Value>);
    std::uint32_t const blocks = std::min(leaf_count, crowded_blocks);
    if constexpr (leaf > many_threads * many_items) {
        static_assert(most_threads * many_items >= leaf);
        start_crowded<Key, Value, most_threads, many_items>(
            stream, blocks, sort, many_threads * many_items);
    }
    start_crowded<Key, Value, many_threads, many_items>(
        stream, blocks, sort, few_threads * few_items);
    start_crowded<Key, Value, few_threads, few_items>(stream, blocks, sort, 0);
}

/// Keys without values are sorted unstably, since their order is unobservable.
template <class Key>
void sort_leaves(std::span<cudaStream_t const> streams, LeafSort const& sort) {
    if constexpr (sizeof(Key) == sizeof(WideImage)) {
        merge_leaves<Key>(streams, sort, std::make_index_sequence<leaf_classes>{});
    } else {
        upload_active_fault();
        with_value_type(sort.shape.value_bytes, [&]<class Value>() {
            if constexpr (is_value<Value>) {
                if (sort.ties == Stability::stable) {
                    return bin_leaves<Key, Value, Stability::stable>(streams.front(), sort);
                }
            }
            return bin_leaves<Key, Value, Stability::unstable>(streams.front(), sort);
        });
    }
}

/// Blocks that sort a segment's sample: the general one, and a small one for segments of few ways,
/// with less latency in launches of few blocks. 16-byte keys: odd items per thread, as in leaves.
template <class Key>
constexpr BlockShape tree_block = sizeof(Key) == 16 ? BlockShape{1024, 9} : BlockShape{512, 16};
template <class Key>
constexpr BlockShape few_ways_block = sizeof(Key) == 16 ? BlockShape{256, 9} : BlockShape{256, 8};

/// The key at an index of a segment.
template <class Key>
__device__ Key key_in_parts(StepBuffers keys,
                            SplitSegment const& segment,
                            SegmentPart const* parts,
                            std::uint64_t number) {
    if (segment.part_count == 0) {
        return keys.of<Key>(KeyBuffer::input)[segment.begin + number];
    }
    std::uint32_t part = segment.first_part;
    for (; part + 1 < segment.first_part + segment.part_count && number >= parts[part].count;
         ++part) {
        number -= parts[part].count;
    }
    return keys.of<Key>(parts[part].buffer)[parts[part].source + number];
}

/// One block per segment.
template <class Key, int threads, int items>
__global__ void __launch_bounds__(threads) tree_kernel(StepBuffers keys,
                                                       SplitSegments segments,
                                                       TreeShape shape,
                                                       Key* trees,
                                                       std::uint8_t* one_value) {
    static_assert(threads >= static_cast<int>(tree_words));
    using Sort = cub::BlockMergeSort<Key, threads, items>;
    using Scan = cub::BlockScan<std::uint32_t, threads>;
    extern __shared__ __align__(16) unsigned char sort_bytes[];
    __shared__ typename Scan::TempStorage scan_storage;
    __shared__ Key picks[tree_words];
    __shared__ Key edges[tree_words + 1];
    auto const thread = threadIdx.x;
    SplitSegment const segment = segments.segments[blockIdx.x];
    std::uint32_t const words = 1U << shape.levels;
    std::uint32_t const draws = segment.ways * shape.oversampling;
    Key sample[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        std::uint32_t const draw = thread * items + static_cast<std::uint32_t>(i);
        std::uint64_t const random =
            mix_bits(mix_bits(segment.begin) + draw * 0x9e3779b97f4a7c15ULL);
        std::uint64_t const number = __umul64hi(random, segment.count);
        sample[i] = draw < draws ? key_in_parts<Key>(keys, segment, segments.parts, number)
                                 : static_cast<Key>(~Key{0});
    }
    Sort(*reinterpret_cast<typename Sort::TempStorage*>(sort_bytes)).Sort(sample, Below{});
    // Pick i is the last of the i-th `oversampling` keys.
#pragma unroll
    for (int i = 0; i < items; ++i) {
        std::uint32_t const at = thread * items + static_cast<std::uint32_t>(i) + 1;
        if (at % shape.oversampling == 0 && at < draws) {
            picks[at / shape.oversampling] = sample[i];
        }
    }
    __syncthreads();
    bool const has_pick = thread >= 1 && thread < segment.ways;
    Key const pick = has_pick ? picks[thread] : Key{0};
    bool const is_first = has_pick && (thread == 1 || picks[thread - 1] != pick);
    bool const is_alone = __syncthreads_count(is_first ? 1 : 0) == 1;
    bool const has_equality =
        is_first && (is_alone || (thread + 1 < segment.ways && picks[thread + 1] == pick));
    // A splitter ends its bucket; with an equality bucket, it also begins that bucket.
    bool const has_above = is_first && pick != static_cast<Key>(~Key{0});
    std::uint32_t const own = (has_equality ? 1U : 0U) + (has_above ? 1U : 0U);
    std::uint32_t at = 0;
    std::uint32_t edge_count = 0;
    Scan(scan_storage).ExclusiveSum(own, at, edge_count);
    std::uint64_t const first_word = std::uint64_t{blockIdx.x} << shape.levels;
    if (thread < words) {
        one_value[first_word + thread] = 0;
    }
    __syncthreads();
    if (has_equality) {
        one_value[first_word + at + 1] = 1;
        edges[at] = pick;
    }
    if (has_above) {
        edges[at + own - 1] = static_cast<Key>(pick + 1);
    }
    __syncthreads();
    if (thread < words) {
        trees[first_word + thread] = tree_word(edges, edge_count, thread, words);
    }
}

template <class Key, int threads, int items>
void start_tree_blocks(cudaStream_t stream, SegmentTrees const& trees) {
    constexpr int shared_bytes =
        sizeof(typename cub::BlockMergeSort<Key, threads, items>::TempStorage);
    auto const kernel = tree_kernel<Key, threads, items>;
    allow_shared_memory(kernel, shared_bytes);
    kernel<<<trees.segments.count, threads, shared_bytes, stream>>>(
        trees.keys, trees.segments, trees.shape, static_cast<Key*>(trees.trees), trees.one_value);
    KEYSWAP_CUDA(cudaGetLastError());
}

template <class Key>
void build_trees(cudaStream_t stream, SegmentTrees const& trees) {
    constexpr BlockShape any = tree_block<Key>;
    constexpr BlockShape few = few_ways_block<Key>;
    std::uint32_t const draws = trees.shape.ways_max * trees.shape.oversampling;
    KEYSWAP_EXPECTS(trees.shape.ways_max <= trees.shape.words() && draws <= any.size());
    auto const start = draws <= few.size() ? start_tree_blocks<Key, few.threads, few.items>
                                           : start_tree_blocks<Key, any.threads, any.items>;
    start(stream, trees);
}

} // namespace keyswap::kernels::leaf_sort_detail
