#pragma once

/// \file Access to elements of emulated device memory.

#include "kernels/primitives/key_words.hpp"
#include "kernels/primitives/radix_sort/radix_sort.hpp"

#include <cstdint>
#include <cstring>
#include <numeric>
#include <vector>

namespace keyswap::kernels::emulation {

template <class Word>
[[nodiscard]] Word const* words(void const* memory) {
    return static_cast<Word const*>(memory);
}
template <class Word>
[[nodiscard]] Word* words(void* memory) {
    return static_cast<Word*>(memory);
}

/// Copies an element of any width between arrays.
inline void move_element(
    void* destination, std::uint64_t to, void const* source, std::uint64_t from, int bytes) {
    if (bytes > 0) {
        auto const size = static_cast<std::size_t>(bytes);
        std::memcpy(static_cast<std::byte*>(destination) + to * size,
                    static_cast<std::byte const*>(source) + from * size,
                    size);
    }
}

/// Bits [begin, begin + bits) of an image, right-aligned.
template <class Word>
[[nodiscard]] Word bits_of(Word image, int begin, int bits) {
    int const width = static_cast<int>(8 * sizeof(Word));
    Word const shifted = begin >= width ? Word{0} : static_cast<Word>(image >> begin);
    return bits >= width ? shifted : static_cast<Word>(shifted & ((Word{1} << bits) - 1));
}

} // namespace keyswap::kernels::emulation
