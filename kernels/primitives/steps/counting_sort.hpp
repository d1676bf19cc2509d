#pragma once

/// \file The sort by counting of the 15 bits that a scatter and a step of 9 bits have left of dense
/// 32-bit keys.

#include "kernels/primitives/steps/segmented_sort.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Sorts 32-bit keys that differ only in their lowest 15 bits.
struct CountingSort {
    std::uint32_t const* keys_in = nullptr;
    std::uint32_t* keys_out = nullptr;     ///< another buffer; same indices as keys_in
    SegmentPart const* segments = nullptr; ///< [segment_count] device: begin and count of each
    std::uint32_t segment_count = 0;
    /// Offset of each 9-bit digit inside its segment: [segment_count][512] device.
    std::uint32_t const* bins = nullptr;
    ImageCode decode; ///< code of the raw keys to write to keys_out
};

/// One block per segment and digit.
void launch_counting_sort(cudaStream_t stream, CountingSort const& sort);

} // namespace keyswap::kernels
