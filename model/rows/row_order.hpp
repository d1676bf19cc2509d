#pragma once

/// \file Order of rows by key columns.

#include "model/check/image_scan.hpp"
#include "model/rows/sort_keys.hpp"
#include "model/rows/table/row_table.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Order of the cells of one column.
struct ColumnOrder {
    std::size_t column = 0;
    CellType type;
    Direction direction = Direction::ascending;
    NullPlace nulls = NullPlace::last;
    ImageRule<std::uint64_t> rule; ///< for words; text and decimals use only the direction
};

[[nodiscard]] ColumnOrder column_order(std::size_t column,
                                       CellType const& type,
                                       SortKey const& key,
                                       ZeroOrder zero_order,
                                       NanOrder nan_order);

/// Words that compare cells of one column; text that shares the 8-byte prefix needs more.
struct OrderWords {
    std::uint8_t rank = 1; ///< 1 for a value; 0 and 2 for nulls
    std::uint64_t high = 0;
    std::uint64_t low = 0; ///< lower half of a decimal
    friend auto operator<=>(OrderWords const&, OrderWords const&) = default;
};
[[nodiscard]] OrderWords
order_words(ColumnOrder const& order, RowBatch const& batch, std::uint64_t row);

/// Compares two cells. \pre the columns of both tables have the order's type
[[nodiscard]] std::strong_ordering
compare_cells(ColumnOrder const& order, RowTable::Place const& a, RowTable::Place const& b);

/// Compares two rows by all keys.
[[nodiscard]] std::strong_ordering compare_rows(std::span<ColumnOrder const> orders,
                                                RowTable::Place const& a,
                                                RowTable::Place const& b);

/// Adjacent rows that are out of order.
struct Descents {
    std::uint64_t count = 0;
    std::optional<std::uint64_t> first; ///< table row after the first descent; nullopt if none
};

/// Compares each of the rows (first, first + count) of a batch with its predecessor.
class DescentScan {
  public:
    explicit DescentScan(std::span<ColumnOrder const> orders) : orders_(orders) {}
    [[nodiscard]] Descents scan(RowBatch const& batch, std::uint64_t first, std::uint64_t count);

  private:
    void load(ColumnOrder const& order, RowBatch const& batch, std::uint64_t first);

    std::span<ColumnOrder const> orders_;
    std::vector<std::uint64_t> words_; ///< [count] of the column being compared
    std::vector<std::int8_t> steps_;   ///< step to each row: -1 falls, 1 rises, 0 equal so far
};

/// The orders of the key columns. \return an error if the table lacks one
[[nodiscard]] Expected<std::vector<ColumnOrder>> column_orders(RowTable const& table,
                                                               SortKeys const& keys,
                                                               ZeroOrder zero_order,
                                                               NanOrder nan_order);

} // namespace keyswap::model
