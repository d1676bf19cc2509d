#pragma once

/// \file Tables for tests, written as text: cells separated by blanks, "-" for a null.

#include "model/rows/table/column_builder.hpp"
#include "model/rows/table/row_table.hpp"

#include <bit>
#include <cstdlib>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::model::testing {

using Cells = std::vector<std::string>;

inline void add_text_cell(ColumnBuilder& builder, std::string const& cell) {
    CellType const& type = builder.type();
    if (cell == "-" || type.kind == CellKind::null) {
        builder.add_null();
    } else if (type.is_sequence()) {
        builder.add_sequence(cell);
    } else if (type.kind == CellKind::floating && type.size_bytes == 8) {
        builder.add_word(std::bit_cast<std::uint64_t>(std::strtod(cell.c_str(), nullptr)));
    } else if (type.kind == CellKind::decimal) {
        builder.add_decimal(std::strtoll(cell.c_str(), nullptr, 10));
    } else {
        builder.add_word(static_cast<std::uint64_t>(std::strtoll(cell.c_str(), nullptr, 10)));
    }
}

/// \param columns "region:string", as for parse_cell_type() \param rows one text per row, one word
///        per cell \param batch_rows rows per batch
inline RowTable make_table(std::string const& name,
                           std::vector<std::string> const& columns,
                           std::vector<Cells> const& rows,
                           std::size_t batch_rows = 1000) {
    std::vector<ColumnInfo> infos;
    for (std::string const& column : columns) {
        auto const colon = column.find(':');
        infos.push_back({column.substr(0, colon), *parse_cell_type(column.substr(colon + 1))});
    }
    RowTable table(name, infos);
    for (std::size_t first = 0; first < rows.size(); first += batch_rows) {
        std::size_t const end = std::min(rows.size(), first + batch_rows);
        RowBatch batch{0, end - first, {}};
        for (std::size_t column = 0; column < infos.size(); ++column) {
            ColumnBuilder builder(infos[column].type);
            for (std::size_t row = first; row < end; ++row) {
                add_text_cell(builder, rows[row][column]);
            }
            batch.columns.push_back(builder.take());
        }
        table.add(std::move(batch));
    }
    return table;
}

} // namespace keyswap::model::testing
