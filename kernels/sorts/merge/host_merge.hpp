#pragma once

/// \file The CPU part of HET merge sort: merges sorted runs in host memory. Plain C++. Source: HET
/// sort (Maltenberger et al., SIGMOD 2022, section 5), which uses the parallel multiway merge of
/// the GNU library; this one is our own.

#include "kernels/device/key_image.hpp"
#include "kernels/range_sorter.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::kernels {

/// Merges sorted runs of images stably (equal keys in order of their runs) and decodes them.
/// \param key_bytes 4 or 8; value_bytes 0, 4 or 8
/// \param threads at least 1; does not affect the result
/// \param out receives raw keys and their values; must not overlap any run
void merge_on_host(int key_bytes,
                   int value_bytes,
                   std::vector<HostPiece> const& runs,
                   ImageCode code,
                   Columns<void> out,
                   unsigned threads);

} // namespace keyswap::kernels
