#pragma once

/// \file The sort of 32-bit keys without values that differ only in their lowest 15 bits: counts
/// each value and writes it as often. Every key is read once, regardless of duplicates, and none is
/// moved; input and output may be the same.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/segment_limits.hpp"
#include "kernels/primitives/steps/segmented_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Stretches that one block each sorts.
struct BlockStretches {
    std::uint32_t const* keys_in = nullptr;
    std::uint32_t* keys_out = nullptr;
    SegmentPart const* stretches = nullptr; ///< [stretch_count] device: source, count, destination
    std::uint32_t stretch_count = 0;
    ImageCode decode; ///< code of the raw keys to write to keys_out
};
/// \pre each stretch has at most narrow_stretch_keys keys
void launch_narrow_stretches(cudaStream_t stream, BlockStretches const& sort);
/// For stretches of any size below 2^32 keys; one block per multiprocessor at a time.
void launch_middle_stretches(cudaStream_t stream, BlockStretches const& sort);

/// Counters of stretches of any size, which may be in parts.
struct StretchCounters {
    std::uint32_t* counts = nullptr; ///< [stretches][stretch_values] device
    std::uint32_t* high = nullptr;   ///< [stretches] device: the bits shared by all keys
};

/// Counts the keys of tiles by stretch and value, and sums them: counters become the offset of each
/// value in its stretch.
/// \param tiles [tile_count] device, of up to stretch_tile_keys_max; their segments are stretches
void launch_stretch_counts(cudaStream_t stream,
                           StepBuffers keys,
                           SortTile const* tiles,
                           std::uint32_t tile_count,
                           std::uint32_t stretch_count,
                           StretchCounters const& counters);

/// Writes the keys of counted stretches in order. \param places [stretch_count] device: one per
/// stretch, with its destination, count, and first tile of stretch_fill_keys keys
/// \param tile_count of all stretches
void launch_stretch_fill(cudaStream_t stream,
                         std::uint32_t* keys_out,
                         SegmentPart const* places,
                         std::uint32_t stretch_count,
                         std::uint32_t tile_count,
                         StretchCounters const& counters,
                         ImageCode decode);
} // namespace keyswap::kernels
