#pragma once

/// \file Which elements variant `fast` divides by digits from the highest on until a block can sort
/// what is left: a table of rows, each of which was measured to be faster than CUB on one GPU from
/// a number of keys on. Plain C++.

#include "kernels/primitives/leaf_sizes.hpp"
#include "kernels/sort.hpp"

#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// What sorts keys of one GPU most of which few values of the digits hold.
enum class CrowdedSort {
    cub,       ///< the whole range
    splitters, ///< divide the keys, which are drawn from them
    counting   ///< of what two digits leave, however many keys have a value (stretch_counts.hpp)
};

/// Elements of one shape that are divided by digits.
struct DigitRow {
    int key_bytes = 4;
    int value_bytes = 0;
    std::uint64_t least_keys = 0; ///< CUB is as fast with fewer
    CrowdedSort crowded = CrowdedSort::cub;
};

/// Whether dense keys of the shape are divided by two digits and sorted by counting.
[[nodiscard]] constexpr bool can_be_counted(DigitRow const& row) {
    return row.key_bytes == 4 && row.value_bytes == 0;
}

/// The row by which a GPU may sort; nothing where CUB is faster with any number of keys. Its
/// least_keys are those of the options where these say so.
[[nodiscard]] std::optional<DigitRow> digit_row_of(SortOptions const& options);

/// Bits of the widest digit of a level.
inline constexpr int level_digit_bits_max = 9;
/// Bits that divide so many keys, if they are spread evenly, into leaves of a third to two thirds
/// of the largest size. \pre count > leaf
[[nodiscard]] int bits_to_leaves(std::uint64_t count, std::uint32_t leaf);
/// Levels after which hardly a leaf is above the largest size, if keys are spread evenly: four
/// standard deviations more than the mean have room. \pre count > leaf
[[nodiscard]] int levels_to_leaves(std::uint64_t count, std::uint32_t leaf);
/// Most keys of which one level leaves hardly a leaf too many.
[[nodiscard]] std::uint64_t keys_of_one_level(std::uint32_t leaf);
/// Bits of the first of so few levels. Leaves are two thirds full at most where that needs no
/// further level.
[[nodiscard]] int bits_of_level(std::uint64_t count, std::uint32_t leaf);

} // namespace keyswap::kernels
