#pragma once

/// \file launch_radix_sort for the three key widths, each in its own translation unit.

#include "kernels/primitives/sort_buffers.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels::radix_sort_detail {

/// A call of CUB; with temp == nullptr it only sets temp_bytes.
struct Call {
    cudaStream_t stream;
    int value_bytes;
    SortBuffers const& buffers;
    std::uint64_t count;
    BitWindow window;
    void* temp;
    std::size_t& temp_bytes;
};

/// Returns the index of the result's buffer. \tparam Key an image; without values if of 16 bytes
template <class Key>
int run(Call const& call);

/// Like run(), by the tuned policy, for images of 4 bytes. \pre has_tuned_policy() for them;
/// count < 2^32
int run_tuned(Call const& call);

} // namespace keyswap::kernels::radix_sort_detail
