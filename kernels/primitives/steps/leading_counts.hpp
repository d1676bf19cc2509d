#pragma once

/// \file Counts of an array's keys by their leading 17 or 18 bits. They give the bins of the first
/// two levels of a sort by digits, so that one reading of the keys serves both;
/// launch_segment_bins() reads them once for each level.

#include "kernels/primitives/key_buffer.hpp"
#include "kernels/primitives/leading_bits.hpp"
#include "kernels/primitives/steps/segmented_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

struct LeadingCounts {
    std::uint32_t* words = nullptr; ///< [leading_words] device; null: nothing is counted

    /// Not 0 if a counter overflowed, which takes many equal leading bits at the same time; the
    /// counts are then invalid.
    [[nodiscard]] KEYSWAP_HOST_DEVICE std::uint32_t& overflowed() const { return words[0]; }
    /// [leading_values]
    [[nodiscard]] KEYSWAP_HOST_DEVICE std::uint32_t* counts() const {
        return words + leading_counts_begin;
    }
};

/// True if a block of the device has enough shared memory for the counters.
[[nodiscard]] bool can_count_leading_bits(int device, int key_bytes);

/// \pre keys.count < 2^32
void launch_leading_counts(cudaStream_t stream, RawKeys const& keys, LeadingCounts const& counts);

/// Writes the counts of the same keys by their first `bits` bits, up to 9; reads the keys only if a
/// counter overflowed. \param digits [2^bits] device
void launch_leading_digits(cudaStream_t stream,
                           RawKeys const& keys,
                           LeadingCounts const& counts,
                           int bits,
                           std::uint64_t* digits);

/// Adds the counts of several arrays. \param rows [row_count][leading_words] device
void launch_leading_sum(cudaStream_t stream,
                        int key_bytes,
                        std::uint32_t const* rows,
                        std::uint32_t row_count,
                        LeadingCounts const& sum);

/// Parts of a launch's segments, as launch_tiles() takes them.
struct PartTable {
    SegmentPart const* parts = nullptr; ///< [part_count] device
    std::uint32_t part_count = 0;
    std::uint32_t segment_count = 0;
};

/// Bins of segments, and the counts from which they may follow.
struct LeadingBins {
    StepBuffers keys; ///< images
    PartTable segments;
    BitWindow window;              ///< digits of parts without their own
    int digit_bits = 0;            ///< 8, or 9 for a window of 9 bits
    LeadingCounts counts{};        ///< none: all bins are counted
    std::uint32_t* bins = nullptr; ///< [segment_count][digits][2^digit_bits] device, overwritten
    /// [segment_count] device: 1 for segments whose bins follow from the counts.
    std::uint8_t* known = nullptr;
};

/// Writes the bins that launch_segment_bins() would count for segments that are all keys with the
/// bits above their digit, if the digit lies in the leading bits and no counter overflowed; zeros
/// for others. \pre counts; a window of one digit
void launch_leading_bins(cudaStream_t stream, int key_bytes, LeadingBins const& bins);

struct SegmentBins : LeadingBins {
    SortTile const* tiles = nullptr; ///< [tile_count] device, of the segments' parts
    std::uint32_t tile_count = 0;
};

/// Counts every segment's keys by each digit of the window, unless its bins follow from the counts,
/// and computes exclusive prefix sums.
void launch_segment_bins(cudaStream_t stream, int key_bytes, SegmentBins const& bins);

} // namespace keyswap::kernels
