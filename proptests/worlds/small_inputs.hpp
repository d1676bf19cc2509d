#pragma once

/// \file Every input of up to six keys of three values, up to what no sort can see.

#include "proptests/worlds/choices.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::proptests {

inline constexpr std::size_t small_keys_max = 6;
inline constexpr std::size_t small_values = 3;

/// How images are divided by digits.
struct DigitShape {
    int digit_bits = 8;
    std::vector<int> digits; ///< in which neighbouring values may differ first; 1 = the highest

    static constexpr int key_bits = 32;
};

/// Every digit.
[[nodiscard]] inline DigitShape every_digit(int digit_bits) {
    DigitShape shape{digit_bits, {}};
    for (int digit = 1; (digit - 1) * digit_bits < DigitShape::key_bits; ++digit) {
        shape.digits.push_back(digit);
    }
    return shape;
}

/// The first digit, the second and the last. A pass knows whether it is the first or the last one,
/// and all between are alike.
[[nodiscard]] inline DigitShape outer_digits(int digit_bits) {
    return {digit_bits, {1, 2, (DigitShape::key_bits + digit_bits - 1) / digit_bits}};
}

/// For sorts that compare keys.
[[nodiscard]] inline DigitShape one_digit() {
    return {DigitShape::key_bits, {1}};
}

/// Keys in input order, by images.
///
/// Of three values a < b < c a sort by digits sees their order, and in which digit a and b differ
/// first, and b and c: passes divide the same sets of keys whatever the digits are. So each input
/// stands for all that an order-preserving change of values makes of it, with these two digits
/// kept: values are used from the lowest on (0 2 2 is 0 1 1), and two neighbouring values differ by
/// one in a digit that is chosen. \returns nullopt in worlds that another one stands for
[[nodiscard]] inline std::optional<std::vector<std::uint64_t>>
small_input(Choices& choices, DigitShape const& shape) {
    std::vector<std::size_t> ranks(choices.below(small_keys_max + 1));
    std::size_t used[small_values] = {};
    for (std::size_t& rank : ranks) {
        rank = choices.below(small_values);
        ++used[rank];
    }
    if ((used[1] > 0 && used[0] == 0) || (used[2] > 0 && used[1] == 0)) {
        return std::nullopt;
    }
    std::uint64_t values[small_values] = {};
    for (std::size_t i = 1; i < small_values && used[i] > 0; ++i) {
        int const shift = DigitShape::key_bits - choices.of(shape.digits) * shape.digit_bits;
        values[i] = values[i - 1] + (std::uint64_t{1} << (shift > 0 ? shift : 0));
    }
    std::vector<std::uint64_t> images;
    images.reserve(ranks.size());
    for (std::size_t const rank : ranks) {
        images.push_back(values[rank]);
    }
    return images;
}

/// Tolerances in ppm, up to the half chunk that sorts take: one for each E = floor(C * tolerance)
/// that a chunk of C <= ceil(6 / g) keys can have.
[[nodiscard]] inline std::vector<std::uint32_t> small_tolerances(std::uint32_t gpus) {
    switch (gpus) {
    case 1:
        return {0};
    case 2: // C is 1, 2 or 3; at a third of a chunk only three keys let one pass
        return {0, 333'334, 500'000};
    default: // C is 1 or 2
        return {0, 500'000};
    }
}

} // namespace keyswap::proptests
