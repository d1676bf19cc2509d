#pragma once

/// \file Merges two sorted runs on a GPU, and computes how many keys two sorted sequences on
/// several GPUs must swap. Source: P2P sort (Maltenberger et al., SIGMOD 2022, section 4).

#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Two sorted runs and the output, which overlaps neither.
struct MergeRuns {
    void const* keys[2] = {};
    void const* values[2] = {}; ///< null without values
    std::uint64_t count[2] = {};
    void* keys_out = nullptr;
    void* values_out = nullptr;
};

/// Temporary device memory in bytes for a merge of up to `count` elements in total.
[[nodiscard]] std::size_t merge_temp_bytes(ElementShape shape, std::uint64_t count);

/// Merges two runs of images stably: of equal keys, those of the first run come first.
void launch_merge(cudaStream_t stream,
                  ElementShape shape,
                  MergeRuns const& runs,
                  void* temp,
                  std::size_t temp_bytes);

/// A sorted sequence in chunks; can be a kernel argument. Chunk i holds keys [i * chunk_size, (i +
/// 1) * chunk_size), the last chunk the rest.
struct ChunkedRun {
    static constexpr std::size_t chunk_count_max = 32; ///< half of gpu_count_max
    void const* chunk[chunk_count_max] = {};
    std::uint64_t chunk_size = 1;
    std::uint64_t count = 0;
};

/// Computes the smallest s such that swapping the last s keys of `left` for the first s keys of
/// `right` leaves no key on the left above one on the right, and sets `*result` to s. \param result
/// device memory
/// \pre the stream's device can read all chunks
void launch_swap_count(cudaStream_t stream,
                       int key_bytes,
                       ChunkedRun const& left,
                       ChunkedRun const& right,
                       std::uint64_t* result);

} // namespace keyswap::kernels
