#pragma once

/// \file The sort of 32-bit keys without values that agree in all but their lowest 15 bits, by
/// counting each value and writing it as often as it was counted. However many keys have one value,
/// each is read once, and nothing is moved; input and output may be one.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/segment_limits.hpp"
#include "kernels/primitives/steps/segmented_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Stretches that are sorted by a block each.
struct BlockStretches {
    std::uint32_t const* keys_in = nullptr;
    std::uint32_t* keys_out = nullptr;
    SegmentPart const* stretches = nullptr; ///< [stretch_count] device: source, count, destination
    std::uint32_t stretch_count = 0;
    ImageCode decode; ///< keys_out become raw keys of this code
};
/// \pre they have at most narrow_stretch_keys
void launch_narrow_stretches(cudaStream_t stream, BlockStretches const& sort);
/// Of any number of keys below 2^32; a block a multiprocessor at a time.
void launch_middle_stretches(cudaStream_t stream, BlockStretches const& sort);

/// Counters of stretches of any number of keys, which may come in parts.
struct StretchCounters {
    std::uint32_t* counts = nullptr; ///< [stretches][stretch_values] device
    std::uint32_t* high = nullptr;   ///< [stretches] device: the bits in which its keys agree
};

/// Counts the keys of tiles by stretch and value, and sums them: counters become the place of each
/// value in its stretch.
/// \param tiles [tile_count] device, of stretch_tile_keys; their segments are stretches
void launch_stretch_counts(cudaStream_t stream,
                           StepBuffers keys,
                           SortTile const* tiles,
                           std::uint32_t tile_count,
                           std::uint32_t stretch_count,
                           StretchCounters const& counters);

/// Writes the keys of counted stretches in order. \param places [stretch_count] device: one a
/// stretch, with its destination, count, and first tile of stretch_fill_keys
/// \param tile_count of all of them
void launch_stretch_fill(cudaStream_t stream,
                         std::uint32_t* keys_out,
                         SegmentPart const* places,
                         std::uint32_t stretch_count,
                         std::uint32_t tile_count,
                         StretchCounters const& counters,
                         ImageCode decode);
} // namespace keyswap::kernels
