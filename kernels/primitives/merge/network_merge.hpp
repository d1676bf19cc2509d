#pragma once

/// \file A merge sort of one GPU: runs sorted by a network in shared memory, then passes that merge
/// all pairs of neighbouring runs. Source: Satish et al., Intel report 2010, and Satish, Harris,
/// Garland, IPDPS 2009. Equal elements keep their order.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// A block sorts as many keys at most: images of 8 bytes with places of 2 fill 40 KiB of its 48.
inline constexpr std::uint32_t network_run_max = 4096;
/// A pass starts a block a pair at least, at most 2^31 - 1 of them; the shortest pairs have 4 keys.
inline constexpr std::uint64_t network_merge_count_max = 0x7fffffffULL * 4;

/// Arrays of one pass; outputs overlap no input.
struct PassArrays {
    void const* keys_in = nullptr;   ///< [count] device
    void* keys_out = nullptr;        ///< [count] device
    void const* values_in = nullptr; ///< [count], where the shape has values
    void* values_out = nullptr;
    std::uint64_t count = 0; ///< at most network_merge_count_max
    ElementShape shape;
};

/// Sorts the runs of `run_keys` elements from the first on, the last one of what is left.
/// \param encode keys_in are raw keys of this code, and are sorted as their images
/// \param decode keys_out become raw keys of this code; the identity leaves images
/// \pre 2 <= run_keys <= network_run_max
void launch_network_sort(cudaStream_t stream,
                         PassArrays const& arrays,
                         std::uint32_t run_keys,
                         ImageCode encode,
                         ImageCode decode);

/// Merges each pair of neighbouring runs of `run_keys` images; a last run without a partner is
/// copied. \param decode as above
/// \pre 2 <= run_keys
void launch_pair_merges(cudaStream_t stream,
                        PassArrays const& arrays,
                        std::uint64_t run_keys,
                        ImageCode decode);

} // namespace keyswap::kernels
