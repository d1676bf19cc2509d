#pragma once

/// \file Moves and copies of sample sort's tiles; handles records of any type as words.

#include "kernels/primitives/record_words.hpp"
#include "kernels/primitives/steps/label_step.hpp"
#include "kernels/primitives/steps/tile_ranks.cuh"
#include "kernels/sorts/sample/record_shape.hpp"

#include <cub/block/block_scan.cuh>
#include <cuda_runtime.h>

#include <cstdint>

namespace keyswap::kernels::record_sort_detail {

inline constexpr int tile_threads = record_tile_threads;
inline constexpr int child_max = static_cast<int>(tree_words);

/// Copies the labels of a tile in units of 16; may copy up to 15 bytes beyond the last.
__device__ inline void copy_labels(std::uint8_t* to, std::uint8_t const* from, int count) {
    for (int i = static_cast<int>(threadIdx.x); i < (count + 15) / 16; i += tile_threads) {
        reinterpret_cast<WideWord*>(to)[i] = reinterpret_cast<WideWord const*>(from)[i];
    }
}

/// Shared memory for the move of a tile.
template <class Word, int words>
struct MoveTile {
    static constexpr int size = tile_threads * record_tile_items(sizeof(Word) * words);
    Word in_order[size * words];       ///< records, ordered by label
    std::uint16_t places[size];        ///< [input index] position in in_order
    std::uint8_t labels_in[size];      ///< in input order
    std::uint8_t labels[size];         ///< in order of in_order
    std::uint32_t counters[child_max]; ///< then the position of each label's first record
    std::uint64_t offsets[child_max];  ///< added to a position gives the output index
};

/// Orders a tile by label in shared memory, reserves output with one atomic per label, and writes
/// it: adjacent threads write adjacent words, whatever the record size.
template <class Word, int words>
__global__ void __launch_bounds__(tile_threads, 2) move_kernel(Word const* all_in,
                                                               Word* all_out,
                                                               LabelTiles tiles,
                                                               std::uint8_t const* labels,
                                                               std::uint64_t* cursors) {
    using Tile = MoveTile<Word, words>;
    using Scan = cub::BlockScan<std::uint32_t, tile_threads>;
    constexpr int items = Tile::size / tile_threads;
    extern __shared__ __align__(16) unsigned char tile_bytes[];
    __shared__ typename Scan::TempStorage scan_storage;
    Tile& shared = *reinterpret_cast<Tile*>(tile_bytes);
    SortTile const tile = tiles.tiles[blockIdx.x];
    int const thread = static_cast<int>(threadIdx.x);
    int const count = static_cast<int>(tile.count);
    Word const* const in = all_in + tile.source * words;
    if (thread < child_max) {
        shared.counters[thread] = 0;
    }
    copy_labels(shared.labels_in, labels + std::uint64_t{blockIdx.x} * tiles.keys_per_tile, count);
    // Loaded before ranking, which hides some of the latency.
    Word held[items * words];
#pragma unroll
    for (int i = 0; i < items * words; ++i) {
        int const at = i * tile_threads + thread;
        held[i] = in[at < count * words ? at : 0];
    }
    __syncthreads();
    auto const is_record = [thread, count](int i) { return i * tile_threads + thread < count; };
    auto const label_of = [&shared, thread](int i) {
        return std::uint32_t{shared.labels_in[i * tile_threads + thread]};
    };
    HalfWords<items> ranks;
    rank_tile(ranks, shared.counters, label_of, is_record);
    __syncthreads();
    std::uint32_t const label_count = thread < child_max ? shared.counters[thread] : 0;
    std::uint32_t label_begin = 0;
    Scan(scan_storage).ExclusiveSum(label_count, label_begin);
    if (thread < child_max) {
        shared.counters[thread] = label_begin;
        if (label_count != 0) {
            // May wrap below zero; adding the position in the tile undoes it.
            shared.offsets[thread] =
                atomicAdd(reinterpret_cast<unsigned long long*>(
                              &cursors[std::uint64_t{tile.segment} * child_max + threadIdx.x]),
                          static_cast<unsigned long long>(label_count)) -
                label_begin;
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items; ++i) {
        if (is_record(i)) {
            std::uint32_t const label = label_of(i);
            std::uint32_t const place = shared.counters[label] + ranks.at(i);
            shared.places[i * tile_threads + thread] = static_cast<std::uint16_t>(place);
            shared.labels[place] = static_cast<std::uint8_t>(label);
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items * words; ++i) {
        int const at = i * tile_threads + thread;
        if (at < count * words) {
            shared.in_order[shared.places[at / words] * words + at % words] = held[i];
        }
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < items * words; ++i) {
        int const at = i * tile_threads + thread;
        if (at < count * words) {
            int const place = at / words;
            std::uint64_t const index =
                shared.offsets[shared.labels[place]] + static_cast<std::uint64_t>(place);
            all_out[index * words + static_cast<std::uint64_t>(at % words)] = shared.in_order[at];
        }
    }
}

template <class Word, int words>
__global__ void __launch_bounds__(tile_threads)
    copy_kernel(Word const* in, Word* out, SortTile const* tiles) {
    SortTile const tile = tiles[blockIdx.x];
    std::uint64_t const begin = tile.source * words;
    for (std::uint32_t i = threadIdx.x; i < tile.count * words; i += tile_threads) {
        out[begin + i] = in[begin + i];
    }
}

} // namespace keyswap::kernels::record_sort_detail
