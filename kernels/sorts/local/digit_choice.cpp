#include "kernels/sorts/local/digit_choice.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

namespace keyswap::kernels {

namespace {

constexpr std::uint64_t million = std::uint64_t{1} << 20;

/// Beside CUB on one H200, 2026-11-23 (FIGURES.md), of all distributions. Where CUB sorts what
/// crowds, the look at some keys, 15 us, is less than one part in a hundred from these numbers on.
/// Splitters need labels of a byte a key, which is an eighth of a chunk of u64.
constexpr std::array rows{DigitRow{4, 0, 128 * million, CrowdedSort::counting},
                          DigitRow{4, 4, 64 * million, CrowdedSort::cub},
                          DigitRow{4, 8, 64 * million, CrowdedSort::cub},
                          DigitRow{8, 0, 8 * million, CrowdedSort::splitters},
                          DigitRow{8, 4, 8 * million, CrowdedSort::splitters},
                          DigitRow{8, 8, 8 * million, CrowdedSort::splitters}};

} // namespace

std::optional<DigitRow> digit_row_of(SortOptions const& options) {
    auto const key_bytes = static_cast<int>(key_size_bytes(options.key_type));
    auto const value_bytes = static_cast<int>(value_size_bytes(options.value_type));
    auto const found = std::ranges::find_if(rows, [key_bytes, value_bytes](DigitRow const& row) {
        return row.key_bytes == key_bytes && row.value_bytes == value_bytes;
    });
    if (found == rows.end()) {
        return std::nullopt;
    }
    DigitRow row = *found;
    if (options.ties() == Stability::stable && row.crowded == CrowdedSort::splitters) {
        row.crowded = CrowdedSort::cub; // splitters do not keep the order of equal keys
    }
    row.least_keys = options.digits_min.value_or(row.least_keys);
    return row;
}

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
    return std::min(bits_to_leaves(count, leaf), levels * level_digit_bits_max) / levels;
}

} // namespace keyswap::kernels
