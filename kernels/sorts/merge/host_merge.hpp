#pragma once

/// \file The CPU part of HET merge sort: merges sorted runs in host memory. Plain C++. Source: HET
/// sort (Maltenberger et al., SIGMOD 2022, section 5), which uses the parallel multiway merge of
/// the GNU library; this one is our own.

#include "kernels/device/key_image.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// A sorted run of images and their values.
struct HostRun {
    void const* keys = nullptr;
    void const* values = nullptr; ///< null without values
    std::uint64_t count = 0;
};

/// Destination of the merge; holds raw keys.
struct MergedArrays {
    void* keys = nullptr;
    void* values = nullptr;
};

/// Merges runs stably (equal keys in order of their runs) and decodes images into keys.
/// \param key_bytes 4 or 8; value_bytes 0, 4 or 8
/// \param threads at least 1; does not affect the result
/// \pre `out` does not overlap any run
void merge_on_host(int key_bytes,
                   int value_bytes,
                   std::vector<HostRun> const& runs,
                   ImageCode code,
                   MergedArrays out,
                   unsigned threads);

} // namespace keyswap::kernels
