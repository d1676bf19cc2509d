#pragma once

/// \file Packs several key columns into one integer.

#include "model/keys/wide_integer.hpp"
#include "model/rows/row_order.hpp"

#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// One integer per row: integers compare like the rows' keys and are equal if the keys are.
struct EncodedKeys {
    std::vector<uint128> keys; ///< [row]; empty if the keys cannot be packed
    int bits = 0;              ///< width of the packed keys
};

/// Gives each key column as many bits as its range of values needs, text as many bytes as its
/// longest cell. No keys if they exceed 128 bits or a text contains zero bytes.
[[nodiscard]] EncodedKeys encode_keys(RowTable const& table, std::span<ColumnOrder const> orders);

/// Row numbers in key order, stable, by comparison sort.
[[nodiscard]] std::vector<std::uint64_t> sorted_rows(RowTable const& table,
                                                     std::span<ColumnOrder const> orders);

} // namespace keyswap::model
