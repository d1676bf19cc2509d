#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/sorts/rmg/digit_scatter.hpp"

#include <cstddef>

namespace keyswap::model {

/// Passes of the LSD radix sort of a range. Their number is even, so that the result ends up in
/// the input array.
struct LsdPasses {
    int count = 0;
    int digit_bits = 0; ///< width of each digit; the last may be narrower
    friend bool operator==(LsdPasses const&, LsdPasses const&) = default;
};

/// The cheapest even number of passes over `bits` bits of `size` keys; a pass costs
/// size + 2^digit_bits steps. \pre 1 <= bits <= 128
[[nodiscard]] LsdPasses choose_lsd_passes(std::size_t size, int bits);

/// Stable sort of a range on bits [0, end_bit) of the images, as CUB's DeviceRadixSort on a GPU.
/// \param scratch same size as `arrays`; overwritten
/// Source: RMG paper, section 3.3.
template <class Image, class Value>
void sort_low_bits(KeyArrays<Image, Value> const& arrays,
                   KeyArrays<Image, Value> const& scratch,
                   int end_bit);

} // namespace keyswap::model
