#pragma once

/// \file Which elements variant `fast` divides by digits from the highest on until a block can sort
/// what is left: a table of rows, each of which was measured to be faster than CUB from a number of
/// keys on. Plain C++; the simulator reads it too.

#include "kernels/primitives/sort_buffers.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <array>
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
    ElementShape shape;
    std::uint64_t least_keys = 0; ///< of a GPU: other ways are as fast with fewer
    CrowdedSort crowded = CrowdedSort::cub;
    /// Of a GPU that sorts alone, if crowded keys are counted: CUB sorts fewer.
    std::uint64_t least_counted_alone = 0;
};

inline constexpr std::uint64_t mega = std::uint64_t{1} << 20;

/// Compared with CUB on H200, 2026-11-23 to -27 (FIGURES.md), of all distributions. Where CUB sorts
/// what crowds, the look at some keys, 15 us, is less than three parts in a hundred from these
/// numbers on. Splitters need labels of a byte a key, which is an eighth of a chunk of u64.
inline constexpr std::array digit_rows{
    DigitRow{{4, 0}, 32 * mega, CrowdedSort::counting, 128 * mega},
    DigitRow{{4, 4}, 32 * mega, CrowdedSort::cub},
    DigitRow{{4, 8}, 32 * mega, CrowdedSort::cub},
    DigitRow{{8, 0}, 8 * mega, CrowdedSort::splitters},
    DigitRow{{8, 4}, 8 * mega, CrowdedSort::splitters},
    DigitRow{{8, 8}, 8 * mega, CrowdedSort::splitters}};

/// Whether dense keys of the shape are divided by two digits and sorted by counting.
[[nodiscard]] constexpr bool can_be_counted(ElementShape shape) {
    return shape == ElementShape{4, 0};
}

/// The row by which a GPU sorts such elements; nullopt if CUB is faster with any number of keys.
/// \param least_keys in place of the row's numbers
[[nodiscard]] constexpr std::optional<DigitRow> find_digit_row(
    ElementShape shape, Stability ties, std::optional<std::uint64_t> least_keys = std::nullopt) {
    auto const* const found = std::ranges::find(digit_rows, shape, &DigitRow::shape);
    if (found == digit_rows.end()) {
        return std::nullopt;
    }
    DigitRow row = *found;
    if (ties == Stability::stable && row.crowded == CrowdedSort::splitters) {
        row.crowded = CrowdedSort::cub; // splitters do not keep the order of equal keys
    }
    row.least_keys = least_keys.value_or(row.least_keys);
    row.least_counted_alone = least_keys.value_or(row.least_counted_alone);
    return row;
}

} // namespace keyswap::kernels
