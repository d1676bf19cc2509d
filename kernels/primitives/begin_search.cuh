#pragma once

/// \file Which of many consecutive ranges holds an index, by where each begins.

#include <cstdint>

namespace keyswap::kernels {

/// The last of the ranges [low, high] that begins at or before `at`; `low` where none does.
/// \param begin_of index of a range -> where it begins, not descending
template <class BeginOf>
__device__ std::uint32_t
last_beginning_by(BeginOf begin_of, std::uint32_t low, std::uint32_t high, std::uint64_t at) {
    while (low < high) {
        std::uint32_t const middle = low + (high - low + 1) / 2;
        if (begin_of(middle) <= at) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    return low;
}

} // namespace keyswap::kernels
