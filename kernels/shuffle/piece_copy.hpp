#pragma once

/// \file Many pieces of arrays copied by one kernel. Each copy of an engine takes some microseconds
/// beside its bytes, which many small ones do not fill.

#include <cuda_runtime_api.h>

#include <cstdint>

namespace keyswap::kernels {

/// Consecutive elements of a GPU's arrays that go to one place. Null = there is no such array.
struct Piece {
    std::uint64_t begin = 0; ///< elements in the pieces before
    void const* keys = nullptr;
    void* keys_to = nullptr;
    void const* values = nullptr;
    void* values_to = nullptr;
};

/// \param pieces [count] device
/// \param elements in all pieces
/// \param key_bytes 4 or 8 \param value_bytes 0, 4 or 8
/// \pre the current device can write to all places
void launch_piece_copies(cudaStream_t stream,
                         Piece const* pieces,
                         std::uint32_t count,
                         std::uint64_t elements,
                         int key_bytes,
                         int value_bytes);

} // namespace keyswap::kernels
