#pragma once

/// \file Tables from CSV.

#include "model/rows/row_table.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Reads "region:string,amount:decimal(12,2)". Names are quoted as in parse_sort_keys().
[[nodiscard]] Expected<std::vector<ColumnInfo>> parse_schema(std::string_view text);

/// How the cells of a table are read.
struct CsvTableOptions {
    std::vector<ColumnInfo> schema = {}; ///< types of some columns; those of others are guessed
    std::string guessed_from = {};       ///< what the schema's types come from; empty: --schema
    bool types_are_fixed = false;        ///< those of an array, which --schema does not change
    bool is_csv = false;                 ///< whatever its name says
    std::vector<std::string> names = {}; ///< that columns are called by: a first row that has one
                                         ///< names them all
};

/// A table and the text that it comes from.
struct CsvTable {
    RowTable table;
    bool has_header = true;                  ///< false: columns are named "1", "2" ...
    std::string_view header = {};            ///< the first row, with its line end
    std::vector<std::string_view> rows = {}; ///< with their line ends, but for the last one's
    std::shared_ptr<std::string const> text = nullptr; ///< what the views are of
};

/// Reads a table of CSV. The first row holds the columns' names unless one of its cells is a number
/// or empty, and none is a name that the options have. Cells that are empty, NULL or \N, without
/// quotation marks, are nulls. Of a column that the schema leaves out the type is guessed by all of
/// its cells: int64, uint64, double, bool, date, timestamp or string.
/// \param name what errors are about
[[nodiscard]] Expected<CsvTable>
parse_csv_table(std::string text, std::string const& name, CsvTableOptions const& options);

/// What --schema has and the table has not.
[[nodiscard]] InputError no_schema_column(std::string const& table,
                                          std::vector<std::string> const& names,
                                          std::string const& wanted);

} // namespace keyswap::model
