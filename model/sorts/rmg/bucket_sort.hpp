#pragma once

#include "model/keys/key_arrays.hpp"
#include "model/sorts/rmg/digit_scatter.hpp"

#include <cstddef>

namespace keyswap::model {

/// How the low bits of a range are sorted: an even number of passes, so that the result lies where
/// the input lay.
struct LsdPasses {
    int count = 0;
    int digit_bits = 0; ///< of each pass; the last may be narrower
    friend bool operator==(LsdPasses const&, LsdPasses const&) = default;
};

/// The cheapest even split of `bits` for `size` keys, each pass costing size + 2^digit_bits steps.
/// \pre 1 <= bits <= 128
[[nodiscard]] LsdPasses choose_lsd_passes(std::size_t size, int bits);

/// Sorts a range stably on bits [0, end_bit) of the images, as CUB's DeviceRadixSort does on a GPU.
/// \param scratch as large as `arrays`; its contents are lost
/// Source: RMG paper, section 3.3.
template <class Image, class Value>
void sort_low_bits(KeyArrays<Image, Value> const& arrays,
                   KeyArrays<Image, Value> const& scratch,
                   int end_bit);

} // namespace keyswap::model
