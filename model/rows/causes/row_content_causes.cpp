#include "model/rows/causes/row_causes.hpp"
#include "model/rows/table/row_blocks.hpp"
#include "traces/errors/grouped_count.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

namespace keyswap::model {

namespace {

using Guess = std::optional<RowCauseGuess>;
using Columns = std::vector<std::size_t>;

bool is_null_at(RowTable const& table, std::uint64_t row, std::size_t column) {
    auto const [batch, index] = table.place_of(row);
    return table.columns()[column].type.kind == CellKind::null ||
           batch->columns[column].is_null(index);
}

bool is_nan_at(RowTable const& table, std::uint64_t row, std::size_t column) {
    auto const [batch, index] = table.place_of(row);
    CellType const& type = table.columns()[column].type;
    if (type.kind != CellKind::floating || batch->columns[column].is_null(index)) {
        return false;
    }
    std::uint64_t word = 0;
    load_words(type, batch->columns[column], index, std::span(&word, 1));
    return std::isnan(std::bit_cast<double>(word));
}

class ContentGuesses {
  public:
    ContentGuesses(RowCauseContext const& rows, RowDifferences const& differences)
        : rows_(rows), differences_(differences) {}

    [[nodiscard]] Guess best() const {
        if (differences_.gained.empty()) {
            return first_of({&ContentGuesses::find_dropped_nulls,
                             &ContentGuesses::find_dropped_duplicates,
                             &ContentGuesses::find_cut_rows});
        }
        if (differences_.lost.empty()) {
            return find_doubled_rows();
        }
        if (rows_.before->row_count() != rows_.after.row_count()) {
            return std::nullopt;
        }
        return first_of({&ContentGuesses::find_swapped_columns,
                         &ContentGuesses::find_torn_column,
                         &ContentGuesses::find_torn_keys,
                         &ContentGuesses::find_changed_column});
    }

  private:
    using Find = Guess (ContentGuesses::*)() const;
    [[nodiscard]] Guess first_of(std::initializer_list<Find> finds) const {
        for (Find const find : finds) {
            if (auto guess = (this->*find)()) {
                return guess;
            }
        }
        return std::nullopt;
    }
    [[nodiscard]] std::string name(std::size_t column) const {
        return "'" + printable_text(rows_.after.columns()[column].name) + "'";
    }
    /// All columns, key columns first.
    [[nodiscard]] Columns columns_by_interest() const {
        Columns columns;
        for (ColumnOrder const& order : rows_.orders) {
            columns.push_back(order.column);
        }
        for (std::size_t const column : all_columns(rows_.after)) {
            if (std::ranges::find(columns, column) == columns.end()) {
                columns.push_back(column);
            }
        }
        return columns;
    }

    /// Tests whether the missing rows are exactly those with a null, or a NaN, in some column.
    [[nodiscard]] Guess find_dropped_nulls() const {
        for (std::size_t const column : columns_by_interest()) {
            for (bool const nulls : {true, false}) {
                auto const is_empty = [&](RowTable const& table, std::uint64_t row) {
                    return nulls ? is_null_at(table, row, column) : is_nan_at(table, row, column);
                };
                bool const all_lost =
                    std::ranges::all_of(differences_.lost, [&](UnevenRow const& lost) {
                        return is_empty(*rows_.before, lost.row);
                    });
                if (!all_lost) {
                    continue;
                }
                bool any_left = false;
                for (std::uint64_t row = 0; row < rows_.after.row_count() && !any_left; ++row) {
                    any_left = is_empty(rows_.after, row);
                }
                if (!any_left) {
                    return RowCauseGuess{RowCause::nulls_dropped,
                                         std::string("the missing rows are those with ") +
                                             (nulls ? "a null" : "NaN") + " in " + name(column) +
                                             ", as if they had been dropped"};
                }
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] Guess find_dropped_duplicates() const {
        if (std::ranges::all_of(differences_.lost,
                                [](UnevenRow const& lost) { return lost.in_after == 1; })) {
            return RowCauseGuess{RowCause::duplicates_dropped,
                                 "the missing rows are copies of others: one of each is left, as "
                                 "if duplicates had been dropped"};
        }
        if (rows_.descents.first) {
            return std::nullopt;
        }
        // Number of rows in the output that have the keys of a missing row.
        auto const rows_with_keys = [this](std::uint64_t lost) {
            RowTable::Place const wanted = rows_.before->place_of(lost);
            auto const bound = [&](bool after_equals) {
                std::uint64_t low = 0;
                std::uint64_t high = rows_.after.row_count();
                while (low < high) {
                    std::uint64_t const middle = low + (high - low) / 2;
                    auto const order =
                        compare_rows(rows_.orders, rows_.after.place_of(middle), wanted);
                    bool const goes_on = after_equals ? order <= 0 : order < 0;
                    low = goes_on ? middle + 1 : low;
                    high = goes_on ? high : middle;
                }
                return low;
            };
            return bound(true) - bound(false);
        };
        if (std::ranges::all_of(differences_.lost, [&](UnevenRow const& lost) {
                return rows_with_keys(lost.row) == 1;
            })) {
            return RowCauseGuess{RowCause::duplicates_dropped,
                                 "one row is left of each key, as if rows with the keys of "
                                 "another had been dropped"};
        }
        return std::nullopt;
    }

    [[nodiscard]] Guess find_cut_rows() const {
        auto const& lost = differences_.lost;
        std::uint64_t const count = lost.size();
        // Of equal rows the last ones count as lost, so that a loss at the end is recognized.
        if (lost.front().row + count == rows_.before->row_count()) {
            return RowCauseGuess{RowCause::rows_cut,
                                 "the last " + rows_text(count) + " of the input are missing"};
        }
        if (lost.back().row + 1 == count) {
            return RowCauseGuess{RowCause::rows_cut,
                                 "the first " + rows_text(count) + " of the input are missing"};
        }
        if (rows_.after.row_count() == 0) {
            return std::nullopt;
        }
        for (bool const last : {true, false}) {
            auto const end = rows_.after.place_of(last ? rows_.after.row_count() - 1 : 0);
            if (std::ranges::all_of(lost, [&](UnevenRow const& row) {
                    auto const step =
                        compare_rows(rows_.orders, end, rows_.before->place_of(row.row));
                    return last ? step <= 0 : step >= 0;
                })) {
                return RowCauseGuess{RowCause::rows_cut,
                                     std::string("the missing rows would be the ") +
                                         (last ? "last" : "first") + " ones of the output"};
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] Guess find_doubled_rows() const {
        auto const& gained = differences_.gained;
        if (!std::ranges::all_of(gained, [](UnevenRow const& row) { return row.in_before > 0; })) {
            return std::nullopt;
        }
        bool const all_twice = rows_.after.row_count() == 2 * rows_.before->row_count() &&
                               std::ranges::all_of(gained, [](UnevenRow const& row) {
                                   return row.in_after == 2 * row.in_before;
                               });
        return RowCauseGuess{RowCause::rows_doubled,
                             all_twice ? "every row is duplicated"
                                       : "the additional rows are copies of rows of the input, as "
                                         "if a part had been written twice"};
    }

    [[nodiscard]] RowsDigest digest(RowTable const& table, Columns const& columns) const {
        return scan_rows(table, columns, {}, rows_.options).digest;
    }
    [[nodiscard]] bool agree(Columns const& columns) const {
        return digest(*rows_.before, columns) == digest(rows_.after, columns);
    }
    [[nodiscard]] Columns all_but(Columns const& left_out) const {
        Columns columns = all_columns(rows_.after);
        std::erase_if(columns, [&](std::size_t column) {
            return std::ranges::find(left_out, column) != left_out.end();
        });
        return columns;
    }

    [[nodiscard]] Guess find_swapped_columns() const {
        Columns const all = all_columns(rows_.after);
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::size_t j = i + 1; j < all.size(); ++j) {
                if (rows_.after.columns()[i].type != rows_.after.columns()[j].type ||
                    digest(*rows_.before, {i}) != digest(rows_.after, {j})) {
                    continue;
                }
                Columns swapped = all;
                std::swap(swapped[i], swapped[j]);
                if (digest(*rows_.before, all) == digest(rows_.after, swapped)) {
                    return RowCauseGuess{RowCause::columns_swapped,
                                         "columns " + name(i) + " and " + name(j) +
                                             " are exchanged"};
                }
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] bool in_input_order(Columns const& columns) const {
        return hashes_of(*rows_.before, columns, rows_.options) ==
               hashes_of(rows_.after, columns, rows_.options);
    }

    /// Tests whether one column has all its cells, but in different rows.
    [[nodiscard]] Guess find_torn_column() const {
        for (std::size_t const column : all_columns(rows_.after)) {
            Columns const others = all_but({column});
            if (others.empty() || !agree({column}) || !agree(others)) {
                continue;
            }
            return RowCauseGuess{
                RowCause::torn_rows,
                "column " + name(column) + " was not moved with its rows: " +
                    (in_input_order({column}) ? "it is still in the input's order"
                     : in_input_order(others)
                         ? "it alone was sorted, and the others are in the input's order"
                         : "its cells are all there, in other rows")};
        }
        return std::nullopt;
    }

    /// Tests whether several columns were permuted separately from the rest.
    [[nodiscard]] Guess find_torn_keys() const {
        Columns keys;
        for (ColumnOrder const& order : rows_.orders) {
            keys.push_back(order.column);
        }
        Columns const others = all_but(keys);
        if (!others.empty() && agree(keys) && agree(others)) {
            return RowCauseGuess{RowCause::torn_rows,
                                 std::string("the key columns were moved, and the other columns "
                                             "not with them: ") +
                                     (in_input_order(others)
                                          ? "those are still in the input's order"
                                          : "rows are torn")};
        }
        Columns const all = all_columns(rows_.after);
        if (all.size() > 1 &&
            std::ranges::all_of(all, [this](std::size_t column) { return agree({column}); })) {
            return RowCauseGuess{RowCause::torn_rows,
                                 "every column has its cells, but in other rows: columns were "
                                 "not moved together"};
        }
        return std::nullopt;
    }

    [[nodiscard]] Guess find_changed_column() const {
        for (std::size_t const column : all_columns(rows_.after)) {
            Columns const others = all_but({column});
            if (others.empty() || !agree(others)) {
                continue;
            }
            std::uint64_t const nulls_before = null_count(*rows_.before, column);
            std::uint64_t const nulls_after = null_count(rows_.after, column);
            std::string const nulls = nulls_after < nulls_before   ? ": nulls have become values"
                                      : nulls_after > nulls_before ? ": values have become nulls"
                                                                   : "";
            return RowCauseGuess{RowCause::changed_column,
                                 "cells of column " + name(column) +
                                     " were changed, and no others" + nulls};
        }
        return std::nullopt;
    }

    static std::uint64_t null_count(RowTable const& table, std::size_t column) {
        std::uint64_t count = 0;
        for (std::uint64_t row = 0; row < table.row_count(); ++row) {
            count += is_null_at(table, row, column) ? 1 : 0;
        }
        return count;
    }

    RowCauseContext const& rows_;
    RowDifferences const& differences_;
};

} // namespace

std::string rows_text(std::uint64_t count) {
    return grouped_count(count) + (count == 1 ? " row" : " rows");
}

std::optional<RowCauseGuess> guess_content_cause(RowCauseContext const& rows,
                                                 RowDifferences const& differences) {
    return ContentGuesses(rows, differences).best();
}

} // namespace keyswap::model
