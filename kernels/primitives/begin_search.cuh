#pragma once

/// \file Binary search for the range that contains an index, given the ranges' begins.

#include <cstdint>

namespace keyswap::kernels {

/// The last of the ranges [low, high] that begins at or before `at`; `low` if there is none.
/// \param begin_of function from a range's index to its begin, non-decreasing
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
