#pragma once

/// \file CUB's single-GPU LSD radix sort on a window of bits of key images, with or without values.

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// What a sort moves: image of 4, 8 or 16 bytes, value of 0, 4 or 8 bytes.
struct ElementShape {
    int key_bytes = 4;
    int value_bytes = 0;
    friend bool operator==(ElementShape const&, ElementShape const&) = default;
};

/// Two buffers for keys and values; `current` says which holds them.
struct SortBuffers {
    std::array<void*, 2> keys{};
    std::array<void*, 2> values{};
    int current = 0;
};

/// Half-open window of bits.
struct BitWindow {
    int begin = 0;
    int end = 0;
};

/// Temporary device memory for any window of up to `count` elements.
/// \pre images of 16 bytes have no values, here and below
[[nodiscard]] std::size_t radix_sort_temp_bytes(ElementShape shape, std::uint64_t count);

/// Sorts stably by the window's bits, ascending; both buffers may be overwritten.
/// \return which buffer holds the result (known as soon as the sort is queued)
int launch_radix_sort(cudaStream_t stream,
                      ElementShape shape,
                      SortBuffers const& buffers,
                      std::uint64_t count,
                      BitWindow window,
                      void* temp,
                      std::size_t temp_bytes);

} // namespace keyswap::kernels
