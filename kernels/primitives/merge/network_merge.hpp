#pragma once

/// \file A merge sort on one GPU: runs sorted by a network in shared memory, then passes that merge
/// pairs of adjacent runs. Stable. Source: Satish et al., Intel report 2010, and Satish, Harris,
/// Garland, IPDPS 2009.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/out_of_place_arrays.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Most keys a block sorts: 8-byte images and 2-byte positions fill 40 KiB of its 48.
inline constexpr std::uint32_t network_run_max = 4096;
/// A pass launches at least one block per pair, at most 2^31 - 1; the shortest pairs have 4 keys.
inline constexpr std::uint64_t network_merge_count_max = 0x7fffffffULL * 4;

/// Sorts runs of `run_keys` elements; the last run may be shorter.
/// \param encode code of the raw keys in keys_in; they are sorted by their images
/// \param decode code of the raw keys to write to keys_out; the identity leaves images
/// \pre 2 <= run_keys <= network_run_max; at most network_merge_count_max elements
void launch_network_sort(cudaStream_t stream,
                         OutOfPlaceArrays const& arrays,
                         std::uint32_t run_keys,
                         ImageCode encode,
                         ImageCode decode);

/// Merges each pair of adjacent runs of `run_keys` images; copies a last run without a partner.
/// \param decode as above
/// \pre 2 <= run_keys; at most network_merge_count_max elements
void launch_pair_merges(cudaStream_t stream,
                        OutOfPlaceArrays const& arrays,
                        std::uint64_t run_keys,
                        ImageCode decode);

} // namespace keyswap::kernels
