#pragma once

/// \file The element shapes that variant `fast` sorts by MSD digits until a block can sort the
/// rest: one row per shape, valid from the key count at which it was measured to be faster than
/// CUB. Plain C++; the simulator includes it too.

#include "kernels/primitives/sort_buffers.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// How a single GPU sorts keys that crowd: a few digit values hold most of them.
enum class CrowdedSort {
    cub,       ///< one radix sort of the whole range
    splitters, ///< splitters sampled from the keys divide them
    counting   ///< two digits, then counting regardless of keys per value (stretch_counts.hpp)
};

/// An element shape that is divided by digits.
struct DigitRow {
    ElementShape shape;
    std::uint64_t least_keys = 0; ///< per GPU; below it, other methods are as fast
    CrowdedSort crowded = CrowdedSort::cub;
};

inline constexpr std::uint64_t mega = std::uint64_t{1} << 20;

/// Measured against CUB on H200 with all distributions, 2026-11-23 to -29 (FIGURES.md). If CUB
/// sorts crowded keys, sampling for crowding takes 15 us, under 3 % of the sort from these counts
/// on. Splitters need a label of one byte per key, an eighth of a chunk of u64.
inline constexpr std::array digit_rows{DigitRow{{4, 0}, 32 * mega, CrowdedSort::counting},
                                       DigitRow{{4, 4}, 32 * mega, CrowdedSort::cub},
                                       DigitRow{{4, 8}, 32 * mega, CrowdedSort::cub},
                                       DigitRow{{8, 0}, 8 * mega, CrowdedSort::splitters},
                                       DigitRow{{8, 4}, 8 * mega, CrowdedSort::splitters},
                                       DigitRow{{8, 8}, 8 * mega, CrowdedSort::splitters}};

/// True if dense keys of the shape are divided by two digits and then sorted by counting.
[[nodiscard]] constexpr bool can_be_counted(ElementShape shape) {
    return shape == ElementShape{4, 0};
}

/// The row for elements of this shape; nullopt if CUB is faster for any number of keys.
/// \param least_keys replaces the threshold of the row
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
    return row;
}

} // namespace keyswap::kernels
