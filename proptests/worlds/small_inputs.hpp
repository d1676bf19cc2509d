#pragma once

/// \file Every input of up to six keys with three values, up to equivalence for a sort.

#include "proptests/worlds/choices.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::proptests {

inline constexpr std::size_t small_keys_max = 6;
inline constexpr std::size_t small_values = 3;

/// Division of images into digits.
struct DigitShape {
    int digit_bits = 8;
    std::vector<int> digits; ///< first digits in which neighbours may differ; 1 = highest

    static constexpr int key_bits = 32;
};

/// Adjacent values may differ in any digit.
[[nodiscard]] inline DigitShape every_digit(int digit_bits) {
    DigitShape shape{digit_bits, {}};
    for (int digit = 1; (digit - 1) * digit_bits < DigitShape::key_bits; ++digit) {
        shape.digits.push_back(digit);
    }
    return shape;
}

/// The first, second and last digit. A pass distinguishes only whether it is the first or the last,
/// so all middle ones are equivalent.
[[nodiscard]] inline DigitShape outer_digits(int digit_bits) {
    return {digit_bits, {1, 2, (DigitShape::key_bits + digit_bits - 1) / digit_bits}};
}

/// For comparison sorts, which see no digits.
[[nodiscard]] inline DigitShape one_digit() {
    return {DigitShape::key_bits, {1}};
}

/// Keys in input order, as images.
///
/// Of three values a < b < c, a radix sort observes only their order and the first digits in which
/// a and b, and b and c differ: passes divide the same sets of keys whatever the digits are. So one
/// input represents its whole equivalence class: values are used from the lowest on (0 2 2 is 0 1
/// 1), and adjacent values differ by one in a chosen digit. \returns nullopt in worlds that another
/// one represents
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

/// Tolerances in ppm, up to the maximum of half a chunk: one for each E = floor(C * tolerance)
/// possible with a chunk of C <= ceil(6 / g) keys.
[[nodiscard]] inline std::vector<std::uint32_t> small_tolerances(std::uint32_t gpus) {
    switch (gpus) {
    case 1:
        return {0};
    case 2: // C is 1, 2 or 3; 333,334 ppm gives E = 1 only for C = 3
        return {0, 333'334, 500'000};
    default: // C is 1 or 2
        return {0, 500'000};
    }
}

} // namespace keyswap::proptests
