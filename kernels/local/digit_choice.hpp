#pragma once

/// \file Which elements variant `fast` divides by digits from the highest on until a block can sort
/// what is left: a table of rows, each of which was measured to be faster than CUB on one GPU from
/// a number of keys on. Plain C++.

#include "kernels/exchange_plan/level_digits.hpp"
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

/// The row by which a GPU may sort; nullopt if CUB is faster with any number of keys. Its
/// least_keys are those of the options where these say so.
[[nodiscard]] std::optional<DigitRow> digit_row_of(SortOptions const& options);

} // namespace keyswap::kernels
