#pragma once

/// \file Merging two sorted runs on a GPU, and finding how many keys two sorted sequences that lie
/// on several GPUs have to swap. Source: P2P sort (Maltenberger et al., SIGMOD 2022, section 4).

#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Two sorted runs and the memory for both together, which overlaps neither.
struct MergeRuns {
    void const* keys[2] = {};
    void const* values[2] = {}; ///< null without values
    std::uint64_t count[2] = {};
    void* keys_out = nullptr;
    void* values_out = nullptr;
};

/// Temporary device memory for a merge into up to `count` elements.
[[nodiscard]] std::size_t merge_temp_bytes(ElementShape shape, std::uint64_t count);

/// Merges two runs of images stably: of equal keys the first run's come first.
void launch_merge(cudaStream_t stream,
                  ElementShape shape,
                  MergeRuns const& runs,
                  void* temp,
                  std::size_t temp_bytes);

/// A sorted sequence in chunks; a value that a kernel can take. Chunk i holds keys
/// [i * chunk_size, (i + 1) * chunk_size), the last one the rest.
struct ChunkedRun {
    static constexpr std::size_t chunk_count_max = 32; ///< half of the GPUs of the largest sort
    void const* chunk[chunk_count_max] = {};
    std::uint64_t chunk_size = 1;
    std::uint64_t count = 0;
};

/// Finds the number s of keys with which `*result` = s holds: swapping the last s keys of `left`
/// for the first s of `right` leaves no key on the left above one on the right, and no smaller s
/// does. \param result device memory
/// \pre the stream's device can read all chunks
void launch_swap_count(cudaStream_t stream,
                       int key_bytes,
                       ChunkedRun const& left,
                       ChunkedRun const& right,
                       std::uint64_t* result);

} // namespace keyswap::kernels
