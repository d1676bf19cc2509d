#pragma once

/// \file A radix sort of many segments at once, with one launch per digit; a launch per bucket
/// would leave most of a GPU idle. Stable steps use decoupled look-back inside each segment
/// (Adinets, Merrill: Onesweep, 2022; block ranking is CUB's). For keys without values, the order
/// of equal keys is unobservable, so a first step need not be stable: atomics rank in half the
/// time (Ashkiani et al.: GPU Multisplit, 2016). The rest of dense 32-bit keys is sorted by
/// counting (counting_sort.hpp).

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/key_buffer.hpp"
#include "kernels/primitives/out_of_place_arrays.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"
#include "kernels/primitives/segment_limits.hpp"
#include "kernels/primitives/steps/digit_nodes.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// The digit that divides a segment, if segments of a launch have different digits.
struct OwnDigit {
    std::uint8_t begin = 0; ///< bits below it
    std::uint8_t bits = 0;  ///< 0: use the launch's digit

    /// This digit, or `of_launch` if bits == 0.
    [[nodiscard]] KEYSWAP_HOST_DEVICE BitWindow or_else(BitWindow of_launch) const {
        return bits > 0 ? BitWindow{begin, begin + bits} : of_launch;
    }
};

/// A contiguous range of keys, a segment or a part of it; parts of a segment are consecutive.
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

/// Keys of one thread block.
struct SortTile {
    std::uint64_t source = 0;
    std::uint64_t destination = 0; ///< of the segment
    std::uint32_t count = 0;
    std::uint32_t segment = 0;
    std::uint32_t segment_tile = 0;
    KeyBuffer buffer = KeyBuffer::input;
    OwnDigit digit{};
};

/// Keys per tile of a stable step. \param bits of its digits: up to 8, or 9
[[nodiscard]] std::uint32_t tile_keys(ElementShape shape, int bits = step_bits);
/// Keys per tile of an unstable step.
[[nodiscard]] std::uint32_t unstable_tile_keys(ElementShape shape);

/// Splits parts into tiles. \param parts [part_count] device; \param tiles [tile_count] device
void launch_tiles(cudaStream_t stream,
                  SegmentPart const* parts,
                  std::uint32_t part_count,
                  std::uint32_t tile_count,
                  std::uint32_t keys_per_tile,
                  SortTile* tiles);

inline constexpr std::uint32_t range_labels_max = 1U << wide_step_bits;
/// Labels of an unstable step that are ranges of images, ascending and contiguous. A lookup follows
/// a key's digits through nodes to an entry, which gives the label or the first of several possible
/// ones.
struct RangeLabels {
    std::uint32_t nodes;
    std::uint32_t labels;
    int depth;                                          ///< digits on the longest path to an entry
    std::uint16_t entries[label_nodes_max * step_bins]; ///< [nodes][2^bits]; see LabelEntry
    std::uint64_t lowest[range_labels_max];             ///< [labels] lowest images
};

/// One digit step over all tiles.
struct DigitStep : MovedArrays {
    SortTile const* tiles = nullptr; ///< [tile_count] device
    std::uint32_t tile_count = 0;
    /// Offset of each digit inside its segment: [segment][bins_stride] device.
    std::uint32_t const* bins = nullptr;
    std::uint32_t bins_stride = 0;
    /// Overwritten, device: [tile_count][2^bits, at least 256] for stable steps,
    /// [segment_count][2^bits] for unstable steps.
    std::uint32_t* scratch = nullptr;
    std::uint32_t segment_count = 1; ///< unstable steps only
    int shift = 0;
    int bits = step_bits; ///< up to 9
    /// Replaces digits in unstable steps: `bins` are by label, `scratch` has 2^9 words per segment.
    RangeLabels const* ranges = nullptr; ///< device; by value it would cost registers
    ImageCode encode{};                  ///< code of the raw keys in keys_in
    ImageCode decode{};                  ///< code of the raw keys to write to keys_out

    /// The digit of tiles without their own.
    [[nodiscard]] KEYSWAP_HOST_DEVICE BitWindow digit() const { return {shift, shift + bits}; }
};

/// \pre values with digits of 9 bits; without values use launch_unstable_step
void launch_digit_step(cudaStream_t stream, ElementShape shape, DigitStep const& step);
/// Like launch_digit_step, but reorders equal digits arbitrarily.
void launch_unstable_step(cudaStream_t stream, ElementShape shape, DigitStep const& step);

} // namespace keyswap::kernels
