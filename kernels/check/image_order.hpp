#pragma once

/// \file Comparison of key images if a sort may order NaNs and zeros in several ways.

#include "kernels/device/key_image.hpp"
#include "traces/records/sort_shape.hpp"

#include <algorithm>
#include <cstdint>

namespace keyswap::kernels {

/// Images are compared unchanged: the total order of every type.
template <class Word>
struct TotalOrder {
    static constexpr bool is_of_images = true;
    [[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Word of(Word image) const { return image; }
    /// True if the image may be out of order even though raw images ascend.
    [[nodiscard]] KEYSWAP_HOST_DEVICE constexpr bool is_special(Word /*image*/) const {
        return false;
    }
};

/// Images of floats, with all NaNs at one end, or with equal zeros.
template <class Word>
struct FloatOrder {
    static constexpr bool is_of_images = false;
    Word lowest = 0; ///< smallest image of a number; images of NaNs are below it or above `highest`
    Word highest = static_cast<Word>(~Word{0});
    Word nan = 0;           ///< compared image of all NaNs
    Word lower_zero = 0;    ///< image of one of the zeros
    Word compared_zero = 0; ///< its compared image

    [[nodiscard]] KEYSWAP_HOST_DEVICE constexpr bool is_special(Word image) const {
        return static_cast<Word>(image - lowest) > static_cast<Word>(highest - lowest);
    }

    [[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Word of(Word image) const {
        if (image < lowest || image > highest) {
            return nan;
        }
        return image == lower_zero ? compared_zero : image;
    }
};

/// \tparam Word std::uint32_t or std::uint64_t \pre the shape's keys are floats of that width
template <class Word>
[[nodiscard]] constexpr FloatOrder<Word> float_order(SortShape const& shape, NanOrder nan_order) {
    constexpr bool is_single = sizeof(Word) == sizeof(std::uint32_t);
    constexpr auto infinity = static_cast<Word>(is_single ? 0x7f800000U : 0x7ff0000000000000ULL);
    constexpr auto sign = static_cast<Word>(Word{1} << (8 * sizeof(Word) - 1));
    ImageCode const code = image_code(shape.key_type, shape.direction);
    FloatOrder<Word> order;
    if (nan_order != NanOrder::total) {
        Word const positive = encode_image(infinity, code);
        Word const negative = encode_image(static_cast<Word>(infinity | sign), code);
        order.lowest = std::min(positive, negative);
        order.highest = std::max(positive, negative);
        order.nan = nan_order == NanOrder::first ? Word{0} : static_cast<Word>(~Word{0});
    }
    if (shape.zero_order == ZeroOrder::equal) {
        order.lower_zero = std::min(encode_image(Word{0}, code), encode_image(sign, code));
        order.compared_zero = order.lower_zero + 1;
    }
    return order;
}

/// Calls `use` with the image order for the shape's keys.
template <class Word, class Use>
constexpr auto with_image_order(SortShape const& shape, NanOrder nan_order, Use const& use) {
    if constexpr (sizeof(Word) <= sizeof(std::uint64_t)) {
        bool const is_total = shape.zero_order == ZeroOrder::total && nan_order == NanOrder::total;
        if (is_floating(shape.key_type) && !is_total) {
            return use(float_order<Word>(shape, nan_order));
        }
    }
    return use(TotalOrder<Word>{});
}

} // namespace keyswap::kernels
