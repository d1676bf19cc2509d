#pragma once

/// \file Several key columns as one number.

#include "model/keys/wide_integer.hpp"
#include "model/rows/row_order.hpp"

#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Keys of rows as numbers that order as the rows do, equal for rows whose keys are.
struct EncodedKeys {
    std::vector<uint128> keys; ///< of each row; empty if they need more bits
    int bits = 0;              ///< that they need
};

/// Gives each key column as many bits as its cells differ in, text as many bytes as its longest
/// cell has. Columns that do not fit into 128 bits together, and text with zero bytes, give none.
[[nodiscard]] EncodedKeys encode_keys(RowTable const& table, std::span<ColumnOrder const> orders);

/// Row numbers in the order of the keys, those of equal keys in the table's order: by comparisons.
[[nodiscard]] std::vector<std::uint64_t> sorted_rows(RowTable const& table,
                                                     std::span<ColumnOrder const> orders);

} // namespace keyswap::model
