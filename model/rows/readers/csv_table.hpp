#pragma once

/// \file Reads tables from CSV.

#include "model/rows/readers/table_layout.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Parses "region:string,amount:decimal(12,2)". Names are quoted as in parse_sort_keys().
[[nodiscard]] Expected<std::vector<ColumnInfo>> parse_schema(std::string_view text);

/// How to interpret the cells of a CSV file.
struct CsvTableOptions {
    std::vector<ColumnInfo> schema = {}; ///< types of some columns; others are inferred
    std::string guessed_from = {};       ///< file that gave the schema's types; empty: --schema
    bool types_are_fixed = false;        ///< types of an array, which --schema cannot override
    bool is_csv = false;                 ///< force CSV, whatever the file's name
    std::vector<std::string> names = {}; ///< known column names: a first row that contains
                                         ///< one is a header
};

/// Reads a CSV table. The first row is the header, unless one of its cells is empty or a number and
/// none is in options.names; an error if the other rows show that it may be one nevertheless.
/// Unquoted cells that are empty, NULL or \N are nulls. The type of a column outside the schema is
/// inferred from all its cells: int64, uint64, double, decimal, bool, date, timestamp or string.
/// \param name subject of errors
[[nodiscard]] Expected<TableFile>
parse_csv_table(std::string text, std::string const& name, CsvTableOptions const& options);

/// The error for a column of --schema that the table lacks.
[[nodiscard]] InputError no_schema_column(std::string const& table,
                                          std::vector<std::string> const& names,
                                          std::string const& wanted);

} // namespace keyswap::model
