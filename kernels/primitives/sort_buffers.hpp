#pragma once

/// \file What a radix sort works on: the shape of its elements, their two buffers, and the bits.

#include <array>

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

} // namespace keyswap::kernels
