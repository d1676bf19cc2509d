#include "kernels/exchange_plan/level_digits.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace keyswap::kernels {

int bits_to_leaves(std::uint64_t count, std::uint32_t leaf) {
    return static_cast<int>(std::bit_width((count + count / 2) / leaf));
}

int levels_to_leaves(std::uint64_t count, std::uint32_t leaf) {
    auto const has_room = [count, leaf](int bits) {
        double const mean = std::ldexp(static_cast<double>(count), -bits);
        return mean + 4 * std::sqrt(mean) <= static_cast<double>(leaf);
    };
    int levels = 1;
    while (!has_room(levels * level_digit_bits_max)) {
        ++levels;
    }
    return levels;
}

std::uint64_t keys_of_one_level(std::uint32_t leaf) {
    // mean + 4 sqrt(mean) = leaf
    double const root = std::sqrt(static_cast<double>(leaf) + 4) - 2;
    return static_cast<std::uint64_t>(std::ldexp(root * root, level_digit_bits_max));
}

int bits_of_level(std::uint64_t count, std::uint32_t leaf) {
    int const levels = levels_to_leaves(count, leaf);
    int const bits = std::min(bits_to_leaves(count, leaf), levels * level_digit_bits_max);
    return (bits + levels - 1) / levels;
}

} // namespace keyswap::kernels
