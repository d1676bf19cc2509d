#include "model/rows/check_rows.hpp"

#include "model/rows/causes/row_causes.hpp"
#include "model/rows/row_scan.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

namespace keyswap::model {

namespace {

InputError other_columns(RowTable const& table, RowTable const& first, std::string problem) {
    std::string remedy = "give both sides the columns of " + first.name() + ": ";
    for (std::size_t i = 0; i < first.columns().size(); ++i) {
        remedy += (i == 0 ? "" : ", ") + printable_text(first.columns()[i].name);
    }
    return {table.name(), std::move(problem), std::move(remedy)};
}

/// [column of `first`] its index in `table`. Columns that share a name are matched in order.
Expected<std::vector<std::size_t>> matching_columns(RowTable const& table, RowTable const& first) {
    std::vector<bool> taken(table.columns().size(), false);
    std::vector<std::size_t> places;
    for (ColumnInfo const& wanted : first.columns()) {
        std::size_t place = 0;
        while (place < taken.size() &&
               (taken[place] || table.columns()[place].name != wanted.name)) {
            ++place;
        }
        if (place == taken.size()) {
            return tl::unexpected(
                other_columns(table, first, "has no column '" + printable_text(wanted.name) + "'"));
        }
        taken[place] = true;
        places.push_back(place);
    }
    if (auto const more = std::ranges::find(taken, false); more != taken.end()) {
        auto const& name = table.columns()[static_cast<std::size_t>(more - taken.begin())].name;
        return tl::unexpected(other_columns(table,
                                            first,
                                            "has a column '" + printable_text(name) +
                                                "', which is not in " + first.name()));
    }
    return places;
}

/// Common type of a column in all tables; a column of nulls matches any type.
Expected<CellType> shared_type(std::span<RowTable const* const> tables,
                               std::vector<std::vector<std::size_t>> const& places,
                               std::size_t column) {
    CellType type;
    RowTable const* first = nullptr;
    for (std::size_t i = 0; i < tables.size(); ++i) {
        ColumnInfo const& info = tables[i]->columns()[places[i][column]];
        if (info.type.kind == CellKind::null) {
            continue;
        }
        if (first == nullptr) {
            type = info.type;
            first = tables[i];
        } else if (info.type != type) {
            return input_error(tables[i]->name(),
                               "has column '" + printable_text(info.name) + "' of type " +
                                   to_string(info.type) + ", which is " + to_string(type) + " in " +
                                   first->name(),
                               "cast one to the type of the other");
        }
    }
    return type;
}

/// A chunk of nulls that serves any type.
ColumnChunk null_cells(std::uint64_t row_count, CellType const& type) {
    // Zeros are valid as validity bits, cells and offsets.
    auto const zeros = std::make_shared<std::vector<std::byte>>(
        std::max<std::size_t>(type.size_bytes, 8) + (row_count + 7) / 8 + 4 * (row_count + 1));
    ColumnChunk chunk = fixed_cells(zeros->data(), 0);
    chunk.valid = zeros->data();
    chunk.offsets = zeros->data();
    chunk.owner = zeros;
    return chunk;
}

/// Tables with matched columns in a common order; concatenates the parts of an output.
class AlignedTables {
  public:
    /// \pre tables is not empty
    static Expected<AlignedTables> make(std::span<RowTable const* const> tables) {
        AlignedTables aligned;
        RowTable const& first = *tables.front();
        for (RowTable const* const table : tables) {
            KEYSWAP_TRY(auto places, matching_columns(*table, first));
            aligned.places_.push_back(std::move(places));
        }
        for (std::size_t column = 0; column < first.columns().size(); ++column) {
            KEYSWAP_TRY(auto type, shared_type(tables, aligned.places_, column));
            aligned.columns_.push_back({first.columns()[column].name, std::move(type)});
        }
        return aligned;
    }

    /// Tables i, i + 1, ... concatenated.
    [[nodiscard]] RowTable joined(std::span<RowTable const* const> tables, std::size_t from) const {
        RowTable all(tables[from]->name(), columns_);
        for (std::size_t i = from; i < tables.size(); ++i) {
            for (RowBatch const& batch : tables[i]->batches()) {
                RowBatch aligned{0, batch.row_count, {}};
                for (std::size_t column = 0; column < columns_.size(); ++column) {
                    std::size_t const place = places_[i][column];
                    bool const is_null = tables[i]->columns()[place].type.kind == CellKind::null;
                    aligned.columns.push_back(
                        is_null && columns_[column].type.kind != CellKind::null
                            ? null_cells(batch.row_count, columns_[column].type)
                            : batch.columns[place]);
                }
                all.add(std::move(aligned));
            }
        }
        return all;
    }

  private:
    std::vector<std::vector<std::size_t>> places_;
    std::vector<ColumnInfo> columns_;
};

RowOrderFinding order_finding(RowTable const& after,
                              std::vector<ColumnOrder> const& orders,
                              Descents const& descents,
                              std::vector<std::uint64_t> const& part_begins) {
    RowOrderFinding finding;
    finding.row = *descents.first;
    finding.descent_count = descents.count;
    auto const deciding = std::ranges::find_if(orders, [&](ColumnOrder const& order) {
        return compare_cells(order, after.place_of(finding.row - 1), after.place_of(finding.row)) !=
               0;
    });
    std::size_t const column = deciding->column;
    finding.column = after.columns()[column].name;
    finding.cell_before = after.shown(finding.row - 1, column);
    finding.cell_at = after.shown(finding.row, column);
    // An empty part begins at the same row as the next one; the last such part contains the row.
    auto const begin = std::ranges::find(part_begins.rbegin(), part_begins.rend(), finding.row);
    if (begin != part_begins.rend()) {
        finding.part = static_cast<std::size_t>(part_begins.rend() - begin);
    }
    return finding;
}

void show_differences(RowCheck& check,
                      RowTable const& before,
                      RowTable const& after,
                      RowDifferences const& differences) {
    auto const columns = all_columns(before);
    check.lost_count = differences.lost.size();
    check.gained_count = differences.gained.size();
    auto const show = [&](std::vector<UnevenRow> const& rows, RowTable const& table) {
        std::size_t shown = 0;
        for (UnevenRow const& row : rows) {
            if (shown++ == rows_shown_max / 2) {
                break;
            }
            check.rows.push_back(
                {row.row, row.in_before, row.in_after, format_cells(table, row.row, columns)});
        }
    };
    show(differences.lost, before);
    show(differences.gained, after);
}

std::vector<std::uint64_t> begins_of(std::span<RowTable const> parts) {
    std::vector<std::uint64_t> begins;
    std::uint64_t row = 0;
    for (RowTable const& part : parts.first(parts.size() - 1)) {
        row += part.row_count();
        begins.push_back(row);
    }
    return begins;
}

SortKeys named_keys(SortKeys keys, RowTable const& table, std::vector<ColumnOrder> const& orders) {
    for (std::size_t i = 0; i < keys.size(); ++i) {
        keys[i].column = table.columns()[orders[i].column].name;
    }
    return keys;
}

/// \param before_given nullptr: check only the order
Expected<RowCheck> check(RowTable const* before_given,
                         std::span<RowTable const> parts,
                         SortKeys const& keys,
                         RowCheckOptions options) {
    KEYSWAP_EXPECTS(!parts.empty());
    std::vector<RowTable const*> tables;
    if (before_given != nullptr) {
        tables.push_back(before_given);
    }
    for (RowTable const& part : parts) {
        tables.push_back(&part);
    }
    KEYSWAP_TRY(auto const aligned, AlignedTables::make(tables));
    RowTable const after = aligned.joined(tables, before_given != nullptr ? 1 : 0);
    std::optional<RowTable> before;
    if (before_given != nullptr) {
        before = aligned.joined(std::span(tables).first(1), 0);
    }
    KEYSWAP_TRY(auto const orders,
                column_orders(after, keys, options.zero_order, options.nan_order));
    RowCheck result;
    result.columns = after.columns();
    result.keys = named_keys(keys, after, orders);
    result.hash_seed = options.hash_seed.value_or(process_hash_seed().number());
    options.hash_seed = result.hash_seed;
    std::uint64_t const all_rows = after.row_count() + (before ? before->row_count() : 0);
    if (auto const report = options.on_rows_read) {
        options.on_rows_read = [report, all_rows](std::uint64_t more, std::uint64_t) {
            report(more, all_rows);
        };
    }
    auto const columns = before ? all_columns(after) : std::vector<std::size_t>{};
    if (before) {
        result.before = scan_rows(*before, columns, {}, options).digest;
    }
    RowScan const scan = scan_rows(after, columns, orders, options);
    result.after = scan.digest;
    options.on_rows_read = nullptr;
    RowCauseContext const rows{before ? &*before : nullptr,
                               after,
                               begins_of(parts),
                               result.keys,
                               orders,
                               scan.descents,
                               options};
    if (scan.descents.first) {
        result.order = order_finding(after, orders, scan.descents, rows.part_begins);
    }
    if (!result.permutation()) {
        auto const differences = find_differences(*before, after, options);
        show_differences(result, *before, after, differences);
        result.guess = guess_content_cause(rows, differences);
    } else if (result.order) {
        result.guess = guess_order_cause(rows);
    } else if (before && options.stable) {
        result.unstable = find_instability(*before, after, orders, options);
        result.stable = !result.unstable;
    }
    return result;
}

} // namespace

Expected<RowCheck> check_rows(RowTable const& before,
                              std::span<RowTable const> after,
                              SortKeys const& keys,
                              RowCheckOptions const& options) {
    return check(&before, after, keys, options);
}

Expected<RowCheck> check_row_order(std::span<RowTable const> after,
                                   SortKeys const& keys,
                                   RowCheckOptions const& options) {
    return check(nullptr, after, keys, options);
}

} // namespace keyswap::model
