#pragma once

/// \file The order of rows by key columns.

#include "model/check/image_scan.hpp"
#include "model/rows/row_table.hpp"
#include "model/rows/sort_keys.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// How the cells of one column are ordered.
struct ColumnOrder {
    std::size_t column = 0;
    CellType type;
    Direction direction = Direction::ascending;
    NullPlace nulls = NullPlace::last;
    ImageRule<std::uint64_t> rule; ///< of words; of text and decimals only the direction counts
};

[[nodiscard]] ColumnOrder column_order(std::size_t column,
                                       CellType const& type,
                                       SortKey const& key,
                                       ZeroOrder zero_order,
                                       NanOrder nan_order);

/// The numbers by which a row is compared in one column, unless text goes on after its prefix.
struct OrderWords {
    std::uint8_t rank = 1; ///< 0 and 2 are nulls
    std::uint64_t high = 0;
    std::uint64_t low = 0; ///< of decimals
    friend auto operator<=>(OrderWords const&, OrderWords const&) = default;
};
[[nodiscard]] OrderWords
order_words(ColumnOrder const& order, RowBatch const& batch, std::uint64_t row);

/// Compares two cells. \pre rows of tables whose columns have the order's type
[[nodiscard]] std::strong_ordering
compare_cells(ColumnOrder const& order, RowTable::Place const& a, RowTable::Place const& b);

/// Two rows: the order, and the position of the key that decides, that of the last one if none.
struct RowComparison {
    std::strong_ordering order = std::strong_ordering::equal;
    std::size_t key = 0;
};
[[nodiscard]] RowComparison compare_rows(std::span<ColumnOrder const> orders,
                                         RowTable::Place const& a,
                                         RowTable::Place const& b);

/// Neighbours out of order.
struct Descents {
    std::uint64_t count = 0;
    std::optional<std::uint64_t> first; ///< row of the table
};

/// Compares the rows [first, first + count) of a batch with those before them, but the first.
class DescentScan {
  public:
    explicit DescentScan(std::span<ColumnOrder const> orders) : orders_(orders) {}
    [[nodiscard]] Descents scan(RowBatch const& batch, std::uint64_t first, std::uint64_t count);

  private:
    void load(ColumnOrder const& order, RowBatch const& batch, std::uint64_t first);

    std::span<ColumnOrder const> orders_;
    std::vector<std::uint64_t> words_; ///< of the rows, in the column that is compared
    std::vector<std::int8_t> steps_;   ///< to each row: -1 falls, 1 rises, 0 is not decided
};

/// The keys of a table's columns. \return an error if it has no such column
[[nodiscard]] Expected<std::vector<ColumnOrder>> column_orders(RowTable const& table,
                                                               SortKeys const& keys,
                                                               ZeroOrder zero_order,
                                                               NanOrder nan_order);

} // namespace keyswap::model
