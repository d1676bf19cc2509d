#pragma once

/// \file A radix sort of many segments at once: one launch a digit for any number of segments. A
/// bucket at a time would leave most of a GPU idle. Stable steps use decoupled look-back inside
/// each segment (Adinets, Merrill: Onesweep, 2022; block ranking is CUB's). Keys without values do
/// not show the order of equal ones, so that steps which no earlier one prepared need not be
/// stable: atomics rank them in half the time (Ashkiani et al.: GPU Multisplit, 2016). What is left
/// of dense 32-bit keys is sorted by counting.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/key_buffer.hpp"
#include "kernels/primitives/key_fill.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"
#include "kernels/primitives/segment_limits.hpp"
#include "kernels/primitives/steps/digit_nodes.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace keyswap::kernels {

/// The digit by which a segment is divided where not all of a launch are by the same.
struct OwnDigit {
    std::uint8_t begin = 0; ///< bits below it
    std::uint8_t bits = 0;  ///< 0: the launch says it

    /// Itself, or what the launch says.
    [[nodiscard]] KEYSWAP_HOST_DEVICE BitWindow or_else(BitWindow of_launch) const {
        return bits > 0 ? BitWindow{begin, begin + bits} : of_launch;
    }
};

/// Contiguous keys that begin a segment or continue it; parts of one segment follow each other.
struct SegmentPart {
    std::uint64_t source = 0;      ///< index of the first key in its buffer
    std::uint64_t count = 0;       ///< at least 1
    std::uint64_t destination = 0; ///< index of the segment's first key in the output buffer
    std::uint32_t segment = 0;
    std::uint32_t first_tile = 0;   ///< index of the part's first tile
    std::uint32_t segment_tile = 0; ///< index of the segment's first tile
    KeyBuffer buffer = KeyBuffer::input;
    OwnDigit digit{};
};

/// Keys that one thread block handles.
struct SortTile {
    std::uint64_t source = 0;
    std::uint64_t destination = 0; ///< of the segment
    std::uint32_t count = 0;
    std::uint32_t segment = 0;
    std::uint32_t segment_tile = 0;
    KeyBuffer buffer = KeyBuffer::input;
    OwnDigit digit{};
};

/// Keys of a tile of a stable step. \param bits of its digits: 8 (fewer count as that) or 9
[[nodiscard]] std::uint32_t tile_keys(ElementShape shape, int bits = step_bits);
/// Keys of a tile of an unstable step.
[[nodiscard]] std::uint32_t unstable_tile_keys(ElementShape shape);

/// Turns parts into tiles. \param parts [part_count] device; \param tiles [tile_count] device
void launch_tiles(cudaStream_t stream,
                  SegmentPart const* parts,
                  std::uint32_t part_count,
                  std::uint32_t tile_count,
                  std::uint32_t keys_per_tile,
                  SortTile* tiles);

/// Counts every segment's keys by each digit of the window, then sums them exclusively.
/// \param window of tiles that have no digit of their own
/// \param digit_bits 8, or 9 for a window of 9 bits
/// \param bins [segment_count][digits][2^digit_bits] device, overwritten
void launch_segment_bins(cudaStream_t stream,
                         int key_bytes,
                         StepBuffers keys,
                         SortTile const* tiles,
                         std::uint32_t tile_count,
                         std::uint32_t segment_count,
                         BitWindow window,
                         int digit_bits,
                         std::uint32_t* bins);

inline constexpr std::uint32_t range_labels_max = 1U << wide_step_bits;
/// Labels of an unstable step that are ranges of images, ascending; each begins where the one
/// before it ends. A key's digits lead through nodes to an entry, which says which labels are
/// possible.
struct RangeLabels {
    std::uint32_t nodes;
    std::uint32_t labels;
    int depth;                                          ///< digits on the longest way to an entry
    std::uint16_t entries[label_nodes_max * step_bins]; ///< [nodes][2^bits]; see LabelEntry
    std::uint64_t lowest[range_labels_max];             ///< [labels] least images
};

/// One digit step over all tiles.
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
    /// Overwritten, device: [tile_count][2^bits, at least 256] of a stable step,
    /// [segment_count][2^bits] of another.
    std::uint32_t* scratch = nullptr;
    std::uint32_t segment_count = 1; ///< of an unstable step
    int shift = 0;
    int bits = step_bits; ///< up to 9
    /// In place of digits, of an unstable step: `bins` are those of labels, `scratch` has 2^9.
    RangeLabels const* ranges = nullptr; ///< device. As a part of the step it would cost registers
    ImageCode encode;                    ///< keys_in are raw keys of this code
    ImageCode decode;                    ///< keys_out become raw keys of this code

    /// Of the tiles that have no digit of their own.
    [[nodiscard]] KEYSWAP_HOST_DEVICE BitWindow digit() const { return {shift, shift + bits}; }
    [[nodiscard]] KEYSWAP_HOST_DEVICE StepBuffers keys_read() const { return {keys_in, keys_out}; }
    [[nodiscard]] KEYSWAP_HOST_DEVICE StepBuffers values_read() const {
        return {values_in, values_out};
    }
};

/// \pre a digit of 9 bits: elements have values, since others are divided by unstable steps
void launch_digit_step(cudaStream_t stream, ElementShape shape, DigitStep const& step);
/// As launch_digit_step, in any order of equal digits.
void launch_unstable_step(cudaStream_t stream, ElementShape shape, DigitStep const& step);

/// Sorts the lowest 15 bits of 32-bit keys that agree in all others.
struct CountingSort {
    std::uint32_t const* keys_in = nullptr;
    std::uint32_t* keys_out = nullptr;     ///< another buffer; indices as in keys_in
    SegmentPart const* segments = nullptr; ///< [segment_count] device: begin and count of each
    std::uint32_t segment_count = 0;
    /// Where each digit of 9 bits begins inside its segment: [segment_count][512] device.
    std::uint32_t const* bins = nullptr;
    ImageCode decode; ///< keys_out become raw keys of this code
};

void launch_counting_sort(cudaStream_t stream, CountingSort const& sort);

/// Finds out whether few stretches of 2^shift images hold much of an array: one block sorts what
/// lies in a stretch. Looks at 4,096 keys.
/// \param key_bytes 4 or 8 \param keys [count] device, raw keys of the code
/// \param most takes the most samples that lie in one stretch (a few more where stretches share a
/// counter); device, or pinned memory of the host
void launch_crowding_sample(cudaStream_t stream,
                            int key_bytes,
                            void const* keys,
                            std::uint64_t count,
                            ImageCode code,
                            int shift,
                            std::uint32_t* most);

/// Copies elements of 4, 8 or 16 bytes with the multiprocessors, which leaves the copy engines
/// free.
void launch_copy(cudaStream_t stream,
                 int element_bytes,
                 void* destination,
                 void const* source,
                 std::uint64_t count);

/// Writes keys of one value each to many places, `fills_per_launch` of them in one launch.
/// \param key_bytes 4 or 8 \param keys device, where offsets count from \pre 2^31 blocks suffice
void launch_fills(cudaStream_t stream, int key_bytes, void* keys, std::span<KeyFill const> fills);

} // namespace keyswap::kernels
