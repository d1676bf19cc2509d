#pragma once

/// \file One level of sample sort on many segments at once: labels every key by its segment's
/// search tree and counts labels, then moves keys (and values) by label. Labels are stored, since a
/// byte costs less than another search. Not stable: atomics assign positions in order of arrival.

#include "kernels/primitives/steps/search_tree.hpp"
#include "kernels/primitives/steps/segmented_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Keys per tile of these kernels.
[[nodiscard]] std::uint32_t label_tile_keys(ElementShape shape);

/// Tiles of a launch; segments index counters, cursors and trees.
struct LabelTiles {
    SortTile const* tiles = nullptr; ///< [tile_count] device
    std::uint32_t tile_count = 0;
    std::uint32_t segment_count = 0;
    std::uint32_t keys_per_tile = 0;
    int child_bits = tree_levels; ///< of a label: a segment has 2^child_bits counters
};

/// Labels every key of the tiles and counts its segment's keys by label.
/// \param keys images \param trees [segments][tree_words] words of a key
/// \param labels [tile_count][keys_per_tile]
/// \param counts [segments][2^child_bits], overwritten
void launch_labels(cudaStream_t stream,
                   int key_bytes,
                   StepBuffers keys,
                   LabelTiles const& tiles,
                   void const* trees,
                   std::uint8_t* labels,
                   std::uint64_t* counts);

/// Computes the destination of each child: the segment's, plus the counts before the child.
/// \param parts [segments], one per segment; only the destination is read
/// \param cursors [segments][2^child_bits]
void launch_cursors(cudaStream_t stream,
                    SegmentPart const* parts,
                    LabelTiles const& tiles,
                    std::uint64_t const* counts,
                    std::uint64_t* cursors);

/// Arrays of a move, all in device memory.
struct LabelMove : MovedArrays {
    std::uint8_t const* labels = nullptr;
    std::uint64_t* cursors = nullptr; ///< on return, the end of each child
};

/// Moves keys and values to the cursors of their labels.
void launch_label_move(cudaStream_t stream,
                       ElementShape shape,
                       LabelTiles const& tiles,
                       LabelMove const& move);

/// Copies the tiles' ranges to their segments' destinations and decodes the keys; input and output
/// may be the same if segments are not moved. \pre segments have one part each
void launch_decoding_copy(cudaStream_t stream,
                          ElementShape shape,
                          LabelTiles const& tiles,
                          MovedArrays const& arrays,
                          ImageCode decode);

/// A GPU's share of a sample of all keys: draw r is at position mulhi64(mix_bits(seed + r
/// 9e3779b97f4a7c15), key_count).
struct SampleDraw {
    std::uint64_t seed = 0;
    std::uint64_t draws = 0;
    std::uint64_t key_count = 0;   ///< of all GPUs
    std::uint64_t chunk_begin = 0; ///< global index of the GPU's first key
    std::uint64_t chunk_count = 0;
};

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t random_of_draw(SampleDraw const& draw,
                                                                         std::uint64_t r) {
    return mix_bits(draw.seed + r * 0x9e3779b97f4a7c15ULL);
}
/// Global index of the sampled key.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t drawn_position(SampleDraw const& draw,
                                                                         std::uint64_t random) {
    return static_cast<std::uint64_t>((WideImage{random} * draw.key_count) >> 64U);
}

/// \param keys images of the chunk in input order
/// \param sample [draws] images as wide as keys; only draws from this GPU are written; may be
/// pinned host memory
void launch_draw(
    cudaStream_t stream, int key_bytes, void const* keys, SampleDraw const& draw, void* sample);

} // namespace keyswap::kernels
