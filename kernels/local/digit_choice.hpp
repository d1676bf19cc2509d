#pragma once

/// \file By which row of `digit_rows` the options of a sort divide its elements. Plain C++.

#include "kernels/exchange_plan/digit_rows.hpp"
#include "kernels/exchange_plan/level_digits.hpp"
#include "kernels/sort.hpp"

#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// Whether dense keys of the shape are divided by two digits and sorted by counting.
[[nodiscard]] constexpr bool can_be_counted(DigitRow const& row) {
    return row.key_bytes == 4 && row.value_bytes == 0;
}

/// The row by which a GPU may sort; nullopt if CUB is faster with any number of keys. Both numbers
/// are that of the options where these say so.
[[nodiscard]] std::optional<DigitRow> digit_row_of(SortOptions const& options);

} // namespace keyswap::kernels
