#pragma once

/// \file Operands of a radix sort: the shape of its elements, two buffers, and a bit window.

#include <array>

namespace keyswap::kernels {

/// Bytes of an element: image of 4, 8 or 16 bytes, value of 0, 4 or 8 bytes.
struct ElementShape {
    int key_bytes = 4;
    int value_bytes = 0;
    [[nodiscard]] constexpr int bytes() const { return key_bytes + value_bytes; }
    friend bool operator==(ElementShape const&, ElementShape const&) = default;
};

/// Two buffers each for keys and values; `current` is the index of the buffer in use.
struct SortBuffers {
    std::array<void*, 2> keys{};
    std::array<void*, 2> values{};
    int current = 0;
};

/// Half-open window of bits, 0 = lowest.
struct BitWindow {
    int begin = 0;
    int end = 0;
};

} // namespace keyswap::kernels
