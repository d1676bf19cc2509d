#pragma once

/// \file An LSD radix sort of many segments at once: one launch a digit for any number of segments,
/// with decoupled look-back inside each. A bucket at a time would leave most of a GPU idle.
/// Source: Adinets, Merrill: Onesweep, 2022 (single-pass digit steps); block ranking is CUB's.

#include "kernels/key_image.hpp"
#include "kernels/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Look-back words keep a count in 30 bits, and offsets inside a segment are 32-bit.
inline constexpr std::uint64_t segment_count_max = (std::uint64_t{1} << 30) - 1;
/// A digit step reads 8 bits at most; its last one may read fewer.
inline constexpr int step_bits = 8;
inline constexpr std::uint32_t step_bins = 1U << step_bits;

/// Contiguous keys that begin a segment or continue it; parts of one segment follow each other.
struct SegmentPart {
    std::uint64_t source = 0;      ///< index of the first key in the input place
    std::uint64_t count = 0;       ///< at least 1
    std::uint64_t destination = 0; ///< index of the segment's first key in the output place
    std::uint32_t segment = 0;
    std::uint32_t first_tile = 0;   ///< index of the part's first tile
    std::uint32_t segment_tile = 0; ///< index of the segment's first tile
    std::uint32_t unused = 0;
};

/// Keys that one thread block handles.
struct SortTile {
    std::uint64_t source = 0;
    std::uint64_t destination = 0; ///< of the segment
    std::uint32_t count = 0;
    std::uint32_t segment = 0;
    std::uint32_t segment_tile = 0;
    std::uint32_t unused = 0;
};

/// Keys of a tile for this shape.
[[nodiscard]] std::uint32_t tile_keys(ElementShape shape);

/// Turns parts into tiles. \param parts [part_count] device; \param tiles [tile_count] device
void launch_tiles(cudaStream_t stream,
                  SegmentPart const* parts,
                  std::uint32_t part_count,
                  std::uint32_t tile_count,
                  std::uint32_t keys_per_tile,
                  SortTile* tiles);

/// Counts every segment's keys by each 8-bit digit of the window, then sums them exclusively.
/// \param bins [segment_count][steps][256] device, overwritten
void launch_segment_bins(cudaStream_t stream,
                         int key_bytes,
                         void const* keys,
                         SortTile const* tiles,
                         std::uint32_t tile_count,
                         std::uint32_t segment_count,
                         BitWindow window,
                         std::uint32_t* bins);

/// One stable digit step over all tiles.
struct DigitStep {
    void const* keys_in = nullptr;
    void* keys_out = nullptr;
    void const* values_in = nullptr;
    void* values_out = nullptr;
    SortTile const* tiles = nullptr; ///< [tile_count] device
    std::uint32_t tile_count = 0;
    /// Offset of each digit inside its segment: [segment][bins_stride] device.
    std::uint32_t const* bins = nullptr;
    std::uint32_t bins_stride = 0;
    std::uint32_t* lookback = nullptr; ///< [tile_count][256] device, overwritten
    int shift = 0;
    int bits = step_bits;
    ImageCode encode; ///< keys_in are raw keys of this code
    ImageCode decode; ///< keys_out become raw keys of this code
};

void launch_digit_step(cudaStream_t stream, ElementShape shape, DigitStep const& step);

/// Copies elements of 4 or 8 bytes with the multiprocessors, which leaves the copy engines free.
void launch_copy(cudaStream_t stream,
                 int element_bytes,
                 void* destination,
                 void const* source,
                 std::uint64_t count);

} // namespace keyswap::kernels
