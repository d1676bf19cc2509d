#pragma once

/// \file The steps of sample sort that depend on the records' type, as RecordLevels calls them:
/// tree, labels, moves, leaves, copies. Only comparators interpret a record's bytes.

#include "kernels/device/cuda_check.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/primitives/record_words.hpp"
#include "kernels/sorts/sample/record_levels.hpp"
#include "kernels/sorts/sample/record_moves.cuh"
#include "kernels/sorts/sample/record_tree.hpp"

#include <cub/block/block_load.cuh>
#include <cub/block/block_merge_sort.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
#include <cuda/std/bit>
#include <cuda_runtime.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace keyswap::kernels::record_sort_detail {

// Kernels cannot call host functions, not even for a constant.
template <class Record>
inline constexpr int tile_items = record_tile_items(sizeof(Record));
template <class Record>
inline constexpr int sample_items = record_sample_items(sizeof(Record));
template <class Record>
inline constexpr std::uint32_t oversampling_of = record_oversampling(sizeof(Record));

/// The caller's order, applied to slots.
template <class Record, class Less>
struct SlotLess {
    Less less;
    __device__ bool operator()(RecordSlot<Record> const& a, RecordSlot<Record> const& b) const {
        return less(cuda::std::bit_cast<Record>(a), cuda::std::bit_cast<Record>(b));
    }
};

/// Writes the splitters of a sorted sample as a tree. Called by all threads of the block.
/// \param picks [pick_count] shared \param splitters [tree_words] shared, overwritten
/// \param one_value [tree_words] flags of the segment's children
template <int threads, class Slot, class Less>
__device__ void write_tree(Slot const* picks,
                           std::uint32_t pick_count,
                           Less less,
                           Slot* splitters,
                           RecordTree<Slot>& tree,
                           std::uint8_t* one_value) {
    using Scan = cub::BlockScan<std::uint32_t, threads>;
    constexpr int bucket_shift = 16; // low half counts splitters, high half equality buckets
    constexpr std::uint32_t low_half = (1U << bucket_shift) - 1;
    __shared__ typename Scan::TempStorage scan_storage;
    std::uint32_t const thread = threadIdx.x;
    PickRole const role =
        thread < pick_count ? role_of_pick(picks, pick_count, thread, less) : PickRole::repeats;
    bool const is_splitter = role != PickRole::repeats;
    bool const has_bucket = role == PickRole::splitter_and_bucket;
    std::uint32_t before = 0;
    std::uint32_t all = 0;
    Scan(scan_storage)
        .ExclusiveSum(
            (is_splitter ? 1U : 0U) + (has_bucket ? 1U << bucket_shift : 0U), before, all);
    if (thread < tree_words) {
        one_value[thread] = 0;
    }
    __syncthreads();
    std::uint32_t const rank = before & low_half;
    std::uint32_t const child = rank + (before >> bucket_shift);
    if (is_splitter) {
        splitters[rank] = picks[thread];
        tree.children[rank] =
            static_cast<std::uint16_t>(child | (has_bucket ? RecordTree<Slot>::has_bucket : 0U));
    }
    if (has_bucket) {
        one_value[child + 1] = 1;
    }
    std::uint32_t const splitter_count = all & low_half;
    if (thread == 0) {
        tree.children[splitter_count] =
            static_cast<std::uint16_t>(splitter_count + (all >> bucket_shift));
        tree.splitters = splitter_count;
        tree.levels = levels_of_tree(splitter_count);
    }
    __syncthreads();
    // Written completely, as it is copied as a whole.
    if (thread < tree_words) {
        bool const is_node = thread > 0 && thread >> levels_of_tree(splitter_count) == 0;
        tree.nodes[thread] = splitters[is_node ? splitter_of_node(thread, splitter_count) : 0];
    }
    if (thread > splitter_count && thread < tree_words) {
        tree.children[thread] = 0;
    }
}

/// One block per segment.
template <class Record, class Less>
__global__ void __launch_bounds__(record_sample_threads)
    tree_kernel(RecordSlot<Record> const* records,
                SplitSegment const* segments,
                SlotLess<Record, Less> less,
                RecordTree<RecordSlot<Record>>* trees,
                std::uint8_t* one_value) {
    using Slot = RecordSlot<Record>;
    constexpr int items = sample_items<Record>;
    constexpr std::uint32_t oversampling = oversampling_of<Record>;
    static_assert(record_sample_threads * items >= child_max * static_cast<int>(oversampling));
    using Sort = cub::BlockMergeSort<Slot, record_sample_threads, items>;
    extern __shared__ __align__(16) unsigned char sort_bytes[];
    __shared__ Slot picks[tree_words];
    SplitSegment const segment = segments[blockIdx.x];
    std::uint32_t const draws = segment.ways * oversampling;
    Slot sample[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        std::uint32_t const draw = threadIdx.x * items + static_cast<std::uint32_t>(i);
        sample[i] = records[sample_position(segment.begin, segment.count, draw < draws ? draw : 0)];
    }
    Sort(*reinterpret_cast<typename Sort::TempStorage*>(sort_bytes))
        .Sort(sample, less, static_cast<int>(draws), sample[0]);
    // Pick i is the last record of the i-th stretch; the last stretch has none.
#pragma unroll
    for (int i = 0; i < items; ++i) {
        std::uint32_t const end = threadIdx.x * items + static_cast<std::uint32_t>(i) + 1;
        if (end % oversampling == 0 && end < draws) {
            picks[end / oversampling - 1] = sample[i];
        }
    }
    __syncthreads(); // also frees the sort's shared memory
    write_tree<record_sample_threads>(picks,
                                      segment.ways - 1,
                                      less,
                                      reinterpret_cast<Slot*>(sort_bytes),
                                      trees[blockIdx.x],
                                      one_value + std::uint64_t{blockIdx.x} * tree_words);
}

template <class Record, class Less>
__global__ void __launch_bounds__(tile_threads)
    label_kernel(RecordSlot<Record> const* all_records,
                 LabelTiles tiles,
                 RecordTree<RecordSlot<Record>> const* trees,
                 SlotLess<Record, Less> less,
                 std::uint8_t* all_labels,
                 std::uint64_t* counts) {
    using Slot = RecordSlot<Record>;
    using Tree = RecordTree<Slot>;
    constexpr std::size_t tree_bytes = offsetof(Tree, levels) + sizeof(Tree::levels);
    static_assert(tree_bytes % sizeof(std::uint32_t) == 0);
    constexpr int items = tile_items<Record>;
    constexpr int in_flight = items < 6 ? items : 6; // interleaved walks hide latency
    __shared__ Tree tree;
    __shared__ std::uint32_t counters[child_max];
    __shared__ __align__(16) std::uint8_t labels[tile_threads * items];
    SortTile const tile = tiles.tiles[blockIdx.x];
    int const thread = static_cast<int>(threadIdx.x);
    int const count = static_cast<int>(tile.count);
    for (std::size_t i = threadIdx.x; i < tree_bytes / sizeof(std::uint32_t); i += tile_threads) {
        reinterpret_cast<std::uint32_t*>(&tree)[i] =
            reinterpret_cast<std::uint32_t const*>(&trees[tile.segment])[i];
    }
    if (thread < child_max) {
        counters[thread] = 0;
    }
    __syncthreads();
    std::uint32_t const levels = tree.levels;
    Slot const* const records = all_records + tile.source;
    for (int base = thread; base < count; base += tile_threads * in_flight) {
        Slot slots[in_flight];
        TreeWalk walks[in_flight];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            int const at = base + i * tile_threads;
            slots[i] = records[at < count ? at : 0];
        }
        for (std::uint32_t level = 0; level < levels; ++level) {
#pragma unroll
            for (int i = 0; i < in_flight; ++i) {
                walks[i] = next_level(walks[i], tree, slots[i], less);
            }
        }
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            int const at = base + i * tile_threads;
            if (at < count) {
                std::uint32_t const child = child_of_record(walks[i], tree, slots[i], less);
                labels[at] = static_cast<std::uint8_t>(child);
                atomicAdd(&counters[child], 1U);
            }
        }
    }
    __syncthreads();
    copy_labels(all_labels + std::uint64_t{blockIdx.x} * tiles.keys_per_tile, labels, count);
    if (thread < child_max && counters[thread] != 0) {
        atomicAdd(reinterpret_cast<unsigned long long*>(
                      &counts[std::uint64_t{tile.segment} * child_max + threadIdx.x]),
                  static_cast<unsigned long long>(counters[thread]));
    }
}

/// One block per leaf. `in` and `out` may be the same array.
template <class Record, class Less, int threads, int items>
__global__ void __launch_bounds__(threads) leaf_kernel(ChildTable table,
                                                       std::uint32_t const* leaves,
                                                       RecordSlot<Record> const* in,
                                                       RecordSlot<Record>* out,
                                                       SlotLess<Record, Less> less) {
    using Slot = RecordSlot<Record>;
    using Load = cub::BlockLoad<Slot, threads, items, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
    using Sort = cub::BlockMergeSort<Slot, threads, items>;
    using Store = cub::BlockStore<Slot, threads, items, cub::BLOCK_STORE_WARP_TRANSPOSE>;
    __shared__ union {
        typename Load::TempStorage load;
        typename Sort::TempStorage sort;
        typename Store::TempStorage store;
    } shared;
    std::uint32_t const entry = leaves[blockIdx.x];
    auto const count = static_cast<int>(table.counts[entry]);
    std::uint64_t const begin = table.ends[entry] - static_cast<std::uint64_t>(count);
    Slot slots[items];
    Load(shared.load).Load(in + begin, slots, count, in[begin]);
    __syncthreads();
    // The sort pads a thread's items with its largest record; slots[0] is the initial value.
    Sort(shared.sort).Sort(slots, less, count, slots[0]);
    __syncthreads();
    Store(shared.store).Store(out + begin, slots, count);
}

template <class Record, class Less>
class RecordKernels final : public RecordSteps {
  public:
    using Slot = RecordSlot<Record>;
    using Tree = RecordTree<Slot>;

    /// \param given, spare arrays in device memory \param trees [segments per launch] device
    RecordKernels(Less const& less, Record* given, Slot* spare, Tree* trees)
        : less_{less}, given_(reinterpret_cast<Slot*>(given)), spare_(spare), trees_(trees) {}

    /// Sets the kernels' attributes on the current device. \throws CudaFailure
    static void prepare() {
        allow_shared_memory(tree_kernel<Record, Less>, sample_bytes);
        allow_shared_memory(move_kernel<Word, words>, sizeof(MoveTile<Word, words>));
    }

    void make_trees(cudaStream_t stream,
                    RecordArray from,
                    SplitSegment const* segments,
                    std::uint32_t count,
                    std::uint8_t* one_value) const override {
        tree_kernel<Record, Less><<<count, record_sample_threads, sample_bytes, stream>>>(
            array(from), segments, less_, trees_, one_value);
        KEYSWAP_CUDA(cudaGetLastError());
    }

    void label(cudaStream_t stream,
               RecordArray from,
               LabelTiles const& tiles,
               std::uint8_t* labels,
               std::uint64_t* counts) const override {
        label_kernel<Record, Less><<<tiles.tile_count, tile_threads, 0, stream>>>(
            array(from), tiles, trees_, less_, labels, counts);
        KEYSWAP_CUDA(cudaGetLastError());
    }

    void move(cudaStream_t stream,
              RecordArray from,
              LabelTiles const& tiles,
              std::uint8_t const* labels,
              std::uint64_t* cursors) const override {
        move_kernel<Word, words>
            <<<tiles.tile_count, tile_threads, sizeof(MoveTile<Word, words>), stream>>>(
                array(from)->words, array(other(from))->words, tiles, labels, cursors);
        KEYSWAP_CUDA(cudaGetLastError());
    }

    void sort_leaves(cudaStream_t stream,
                     RecordArray from,
                     ChildTable const& table,
                     ChildKinds const& kinds) const override {
        start_classes(stream, from, table, kinds, std::make_index_sequence<record_leaf_classes>{});
    }

    void copy_back(cudaStream_t stream, LabelTiles const& tiles) const override {
        if (tiles.tile_count == 0) {
            return;
        }
        copy_kernel<Word, words><<<tiles.tile_count, tile_threads, 0, stream>>>(
            spare_->words, given_->words, tiles.tiles);
        KEYSWAP_CUDA(cudaGetLastError());
    }

  private:
    using Word = RecordWord<sizeof(Record)>;
    static constexpr int words = sizeof(Record) / sizeof(Word);
    using SampleSort = cub::BlockMergeSort<Slot, record_sample_threads, sample_items<Record>>;
    static constexpr int sample_bytes =
        std::max(sizeof(typename SampleSort::TempStorage), tree_words * sizeof(Slot));

    static RecordArray other(RecordArray array) {
        return array == RecordArray::given ? RecordArray::spare : RecordArray::given;
    }
    [[nodiscard]] Slot* array(RecordArray which) const {
        return which == RecordArray::given ? given_ : spare_;
    }

    template <std::size_t leaf_class>
    void start_class(cudaStream_t stream,
                     RecordArray from,
                     ChildTable const& table,
                     ChildKinds const& kinds) const {
        constexpr BlockShape block = record_leaf_blocks(sizeof(Record))[leaf_class];
        if (kinds.leaves[leaf_class] == 0) {
            return;
        }
        leaf_kernel<Record, Less, block.threads, block.items>
            <<<kinds.leaves[leaf_class], block.threads, 0, stream>>>(
                table, table.leaves + leaf_class * table.entries, array(from), given_, less_);
        KEYSWAP_CUDA(cudaGetLastError());
    }

    template <std::size_t... classes>
    void start_classes(cudaStream_t stream,
                       RecordArray from,
                       ChildTable const& table,
                       ChildKinds const& kinds,
                       std::index_sequence<classes...> /*all*/) const {
        (start_class<record_leaf_classes - 1 - classes>(stream, from, table, kinds), ...);
    }

    SlotLess<Record, Less> less_;
    Slot* given_;
    Slot* spare_;
    Tree* trees_;
};

} // namespace keyswap::kernels::record_sort_detail
