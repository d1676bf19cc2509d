#pragma once

/// \file The CPU's part of HET merge sort: sorted runs in host memory become one array. Plain C++.
/// Source: HET sort (Maltenberger et al., SIGMOD 2022, section 5), which takes the parallel
/// multiway merge of the GNU library; this one is our own.

#include "kernels/device/key_image.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// A sorted run of images with the values that belong to them.
struct HostRun {
    void const* keys = nullptr;
    void const* values = nullptr; ///< null without values
    std::uint64_t count = 0;
};

/// Where all runs go together, as raw keys.
struct MergedArrays {
    void* keys = nullptr;
    void* values = nullptr;
};

/// Merges runs stably (of equal keys an earlier run's come first) and turns images back into keys.
/// \param key_bytes 4 or 8; value_bytes 0, 4 or 8
/// \param threads at least 1; the result does not depend on it
/// \pre `out` overlaps no run
void merge_on_host(int key_bytes,
                   int value_bytes,
                   std::vector<HostRun> const& runs,
                   ImageCode code,
                   MergedArrays out,
                   unsigned threads);

} // namespace keyswap::kernels
