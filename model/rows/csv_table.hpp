#pragma once

/// \file Tables from CSV.

#include "model/rows/row_table.hpp"

#include <filesystem>
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
    bool is_csv = false;                 ///< whatever its name says
};

/// A table and the text that it comes from.
struct CsvTable {
    RowTable table;
    bool has_header = true;                  ///< false: columns are named "1", "2" ...
    std::string_view header = {};            ///< the first row, with its line end
    std::vector<std::string_view> rows = {}; ///< with their line ends, but for the last one's
    std::shared_ptr<std::string const> text = nullptr; ///< what the views are of
};

/// Reads a table of CSV, decompressed. The first row holds the columns' names unless one of its
/// cells is a number or empty. Cells that are empty, NULL or \N, without quotation marks, are
/// nulls. Of a column that the schema leaves out the type is guessed by all of its cells: int64,
/// uint64, double, bool, date, timestamp or string. Files that are not CSV are refused with what
/// makes one of them.
[[nodiscard]] Expected<CsvTable> read_csv_table(std::filesystem::path const& path,
                                                CsvTableOptions const& options);

/// The same of a text. \param name what errors are about
[[nodiscard]] Expected<CsvTable>
parse_csv_table(std::string text, std::string const& name, CsvTableOptions const& options);

} // namespace keyswap::model
