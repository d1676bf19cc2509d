#include "kernels/device/cuda_check.hpp"
#include "kernels/device/shared_memory_limit.hpp"
#include "kernels/faults/device_faults.cuh"
#include "kernels/primitives/element_types.cuh"
#include "kernels/primitives/steps/label_step.hpp"
#include "kernels/primitives/steps/tile_ranks.cuh"
#include "kernels/primitives/steps/tile_sizes.hpp"
#include "kernels/primitives/steps/tree_label.cuh"

#include <cub/block/block_scan.cuh>

namespace keyswap::kernels {

namespace {

constexpr int block_threads = label_block({}).threads;
constexpr int child_max = static_cast<int>(tree_words);
template <int element_bytes>
constexpr int items_of = label_block({element_bytes, 0}).items;
/// Keys in flight per thread during labelling; at most its number of keys.
template <class Key>
constexpr int label_items = sizeof(Key) == 16 ? items_of<16> : 8;
constexpr int draw_threads = 256;
constexpr int tile_keys_max = block_threads * items_of<4>;

/// Copies the labels of a tile in units of 16; may copy up to 15 bytes beyond the last.
__device__ void copy_labels(std::uint8_t* to, std::uint8_t const* from, std::uint32_t count) {
    for (std::uint32_t i = threadIdx.x; i < (count + 15) / 16; i += block_threads) {
        reinterpret_cast<uint4*>(to)[i] = reinterpret_cast<uint4 const*>(from)[i];
    }
}

template <class Key>
__global__ void __launch_bounds__(block_threads) label_kernel(StepBuffers all_keys,
                                                              LabelTiles tiles,
                                                              Key const* trees,
                                                              std::uint8_t* all_labels,
                                                              std::uint64_t* counts) {
    __shared__ Key tree[tree_words];
    __shared__ std::uint32_t counters[tree_words];
    __shared__ __align__(16) std::uint8_t labels[tile_keys_max];
    SortTile const tile = tiles.tiles[blockIdx.x];
    auto const thread = threadIdx.x;
    if (thread < tree_words) {
        tree[thread] = trees[static_cast<std::uint64_t>(tile.segment) * tree_words + thread];
        counters[thread] = 0;
    }
    __syncthreads();
    constexpr int in_flight = label_items<Key>;
    Key const* const keys = all_keys.of<Key>(tile.buffer) + tile.source;
    for (std::uint32_t base = thread; base < tile.count; base += block_threads * in_flight) {
        Key images[in_flight];
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            std::uint32_t const at = base + static_cast<std::uint32_t>(i) * block_threads;
            images[i] = at < tile.count ? keys[at] : Key{0};
        }
#pragma unroll
        for (int i = 0; i < in_flight; ++i) {
            std::uint32_t const at = base + static_cast<std::uint32_t>(i) * block_threads;
            if (at < tile.count) {
                std::uint32_t const child = label_in_tree(tree, images[i]);
                if (!kernel_has_fault(DeviceFault::labels_stale) || at + 1 < tile.count) {
                    labels[at] = static_cast<std::uint8_t>(child);
                }
                atomicAdd(&counters[child], 1U);
            }
        }
    }
    __syncthreads();
    copy_labels(all_labels + std::uint64_t{blockIdx.x} * tiles.keys_per_tile, labels, tile.count);
    if (thread < tree_words && counters[thread] != 0) {
        atomicAdd(
            reinterpret_cast<unsigned long long*>(
                &counts[(static_cast<std::uint64_t>(tile.segment) << tiles.child_bits) + thread]),
            static_cast<unsigned long long>(counters[thread]));
    }
}

/// Grid: segments.
__global__ void __launch_bounds__(child_max) cursor_kernel(SegmentPart const* parts,
                                                           int child_bits,
                                                           std::uint64_t const* counts,
                                                           std::uint64_t* cursors) {
    using Scan = cub::BlockScan<std::uint64_t, child_max>;
    __shared__ typename Scan::TempStorage storage;
    bool const has_child = threadIdx.x < (1U << child_bits);
    std::uint64_t const at = (static_cast<std::uint64_t>(blockIdx.x) << child_bits) + threadIdx.x;
    std::uint64_t before = 0;
    Scan(storage).ExclusiveSum(has_child ? counts[at] : std::uint64_t{0}, before);
    if (has_child) {
        bool const is_stale = kernel_has_fault(DeviceFault::segment_start_stale);
        cursors[at] = parts[is_stale ? 0 : blockIdx.x].destination + before;
    }
}

/// Orders a tile by label in shared memory, reserves output with one atomic per label, and writes
/// keys, then values.
template <class Key, class Value>
__global__ void __launch_bounds__(block_threads, 2) move_kernel(LabelTiles tiles, LabelMove move) {
    constexpr int element_bytes = static_cast<int>(
        is_value<Value> && sizeof(Value) > sizeof(Key) ? sizeof(Value) : sizeof(Key));
    constexpr int items = items_of<element_bytes>;
    constexpr int tile_size = block_threads * items;
    using Scan = cub::BlockScan<std::uint32_t, block_threads>;
    extern __shared__ __align__(16) unsigned char tile_bytes[];
    auto* const tile_keys = reinterpret_cast<Key*>(tile_bytes);
    auto* const labels_in = tile_bytes + tile_size * element_bytes;
    auto* const tile_labels = labels_in + tile_size;  // in order of positions
    __shared__ std::uint32_t counters[child_max];     // then the position of each label's first key
    __shared__ std::uint64_t label_offset[child_max]; // added to a position gives the output index
    __shared__ typename Scan::TempStorage scan_storage;

    SortTile const tile = tiles.tiles[blockIdx.x];
    int const count = static_cast<int>(tile.count);
    int const thread = static_cast<int>(threadIdx.x);
    bool const has_label = thread < child_max && thread < (1 << tiles.child_bits);
    if (thread < child_max) {
        counters[thread] = 0;
    }
    auto const is_key = [thread, count](int i) { return i * block_threads + thread < count; };
    Key const* const keys_in = move.keys_read().of<Key>(tile.buffer) + tile.source;
    copy_labels(
        labels_in, move.labels + std::uint64_t{blockIdx.x} * tiles.keys_per_tile, tile.count);
    Key keys[items];
#pragma unroll
    for (int i = 0; i < items; ++i) {
        keys[i] = is_key(i) ? keys_in[i * block_threads + thread] : Key{0};
    }
    auto const label_of = [labels_in, thread](int i) {
        return std::uint32_t{labels_in[i * block_threads + thread]};
    };
    __syncthreads();
    HalfWords<items> ranks;
    rank_tile(ranks, counters, label_of, is_key);
    __syncthreads();

    std::uint32_t const label_count = has_label ? counters[thread] : 0;
    std::uint32_t label_begin = 0;
    Scan(scan_storage).ExclusiveSum(label_count, label_begin);
    if (has_label) {
        counters[thread] = label_begin;
        if (label_count != 0) {
            std::uint64_t* const cursor =
                &move.cursors[(static_cast<std::uint64_t>(tile.segment) << tiles.child_bits) +
                              threadIdx.x];
            // May wrap below zero; adding the position in the tile undoes it.
            std::uint64_t const place =
                kernel_has_fault(DeviceFault::room_not_taken)
                    ? *cursor
                    : atomicAdd(reinterpret_cast<unsigned long long*>(cursor),
                                static_cast<unsigned long long>(label_count));
            label_offset[thread] = place - label_begin;
        }
    }
    __syncthreads();
    auto const place_of = [&](int i) { return counters[label_of(i)] + ranks.at(i); };
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_key(i)) {
            std::uint32_t const place = place_of(i);
            tile_keys[place] = keys[i];
            tile_labels[place] = static_cast<std::uint8_t>(label_of(i));
        }
    }
    __syncthreads();
    Key* const keys_out = static_cast<Key*>(move.keys_out);
#pragma unroll
    for (int i = 0; i < items; ++i) {
        int const at = i * block_threads + thread;
        if (is_key(i)) {
            keys_out[label_offset[tile_labels[at]] + static_cast<std::uint32_t>(at)] =
                tile_keys[at];
        }
    }
    if constexpr (is_value<Value>) {
        auto* const tile_values = reinterpret_cast<Value*>(tile_bytes);
        Value const* const values_in = move.values_read().of<Value>(tile.buffer) + tile.source;
        Value* const values_out = static_cast<Value*>(move.values_out);
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            if (is_key(i)) {
                tile_values[place_of(i)] = values_in[i * block_threads + thread];
            }
        }
        __syncthreads();
#pragma unroll
        for (int i = 0; i < items; ++i) {
            int const at = i * block_threads + thread;
            if (is_key(i)) {
                values_out[label_offset[tile_labels[at]] + static_cast<std::uint32_t>(at)] =
                    tile_values[at];
            }
        }
    }
}

/// \pre segments have one part each
template <class Word>
__global__ void __launch_bounds__(block_threads)
    copy_kernel(StepBuffers in, Word* out, LabelTiles tiles, ImageCode decode) {
    SortTile const tile = tiles.tiles[blockIdx.x];
    std::uint64_t const before =
        static_cast<std::uint64_t>(blockIdx.x - tile.segment_tile) * tiles.keys_per_tile;
    Word const* const from = in.of<Word>(tile.buffer) + tile.source;
    Word* const to = out + tile.destination + before;
    for (std::uint32_t i = threadIdx.x; i < tile.count; i += block_threads) {
        to[i] = decode_image(from[i], decode);
    }
}

template <class Word>
__global__ void __launch_bounds__(draw_threads)
    draw_kernel(Word const* keys, SampleDraw draw, Word* sample) {
    std::uint64_t const r = blockIdx.x * static_cast<std::uint64_t>(blockDim.x) + threadIdx.x;
    if (r >= draw.draws) {
        return;
    }
    std::uint64_t random = random_of_draw(draw, r);
    if (kernel_has_fault(DeviceFault::sample_index_narrow)) {
        random = random << 32;
    }
    std::uint64_t const position = drawn_position(draw, random);
    if (position - draw.chunk_begin < draw.chunk_count) { // wraps, so false below the chunk
        sample[r] = keys[position - draw.chunk_begin];
    }
}

template <class Key, class Value>
void start_move(cudaStream_t stream, LabelTiles const& tiles, LabelMove const& move) {
    constexpr int element_bytes = static_cast<int>(
        is_value<Value> && sizeof(Value) > sizeof(Key) ? sizeof(Value) : sizeof(Key));
    constexpr int shared_bytes = block_threads * items_of<element_bytes> * (element_bytes + 2);
    auto const kernel = move_kernel<Key, Value>;
    allow_shared_memory(kernel, shared_bytes);
    kernel<<<tiles.tile_count, block_threads, shared_bytes, stream>>>(tiles, move);
}

template <class Word>
void start_copy(
    cudaStream_t stream, void const* in, void* out, LabelTiles const& tiles, ImageCode decode) {
    copy_kernel<<<tiles.tile_count, block_threads, 0, stream>>>(
        StepBuffers{in, out}, static_cast<Word*>(out), tiles, decode);
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace

std::uint32_t label_tile_keys(ElementShape shape) {
    return label_block(shape).size();
}

void launch_labels(cudaStream_t stream,
                   int key_bytes,
                   StepBuffers keys,
                   LabelTiles const& tiles,
                   void const* trees,
                   std::uint8_t* labels,
                   std::uint64_t* counts) {
    upload_active_fault();
    KEYSWAP_CUDA(cudaMemsetAsync(counts,
                                 0,
                                 (std::size_t{tiles.segment_count} << tiles.child_bits) *
                                     sizeof(std::uint64_t),
                                 stream));
    if (tiles.tile_count == 0) {
        return;
    }
    with_key_word(key_bytes, [&]<class Key>() {
        label_kernel<<<tiles.tile_count, block_threads, 0, stream>>>(
            keys, tiles, static_cast<Key const*>(trees), labels, counts);
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_cursors(cudaStream_t stream,
                    SegmentPart const* parts,
                    LabelTiles const& tiles,
                    std::uint64_t const* counts,
                    std::uint64_t* cursors) {
    upload_active_fault();
    if (tiles.segment_count == 0) {
        return;
    }
    cursor_kernel<<<tiles.segment_count, child_max, 0, stream>>>(
        parts, tiles.child_bits, counts, cursors);
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_label_move(cudaStream_t stream,
                       ElementShape shape,
                       LabelTiles const& tiles,
                       LabelMove const& move) {
    upload_active_fault();
    if (tiles.tile_count == 0) {
        return;
    }
    with_wide_element_types(
        shape, [&]<class Key, class Value>() { start_move<Key, Value>(stream, tiles, move); });
    KEYSWAP_CUDA(cudaGetLastError());
}

void launch_decoding_copy(cudaStream_t stream,
                          ElementShape shape,
                          LabelTiles const& tiles,
                          MovedArrays const& arrays,
                          ImageCode decode) {
    if (tiles.tile_count == 0) {
        return;
    }
    with_key_word(shape.key_bytes, [&]<class Key>() {
        start_copy<Key>(stream, arrays.keys_in, arrays.keys_out, tiles, decode);
    });
    if (shape.value_bytes == 0 || arrays.values_in == arrays.values_out) {
        return;
    }
    with_key_type(shape.value_bytes, [&]<class Word>() {
        start_copy<Word>(stream, arrays.values_in, arrays.values_out, tiles, {});
    });
}

void launch_draw(
    cudaStream_t stream, int key_bytes, void const* keys, SampleDraw const& draw, void* sample) {
    upload_active_fault();
    if (draw.chunk_count == 0 || draw.draws == 0) {
        return;
    }
    auto const blocks = static_cast<unsigned>((draw.draws + draw_threads - 1) / draw_threads);
    with_key_word(key_bytes, [&]<class Word>() {
        draw_kernel<<<blocks, draw_threads, 0, stream>>>(
            static_cast<Word const*>(keys), draw, static_cast<Word*>(sample));
    });
    KEYSWAP_CUDA(cudaGetLastError());
}

} // namespace keyswap::kernels
