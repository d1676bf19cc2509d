#pragma once

/// \file A table's columns as a line of text, and fields of the result of a check of rows.

#include "model/rows/check_rows.hpp"
#include "tools/text/document.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/printable_text.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// \param guessed the types come from the cells
inline std::string columns_line(std::vector<model::ColumnInfo> const& columns, bool guessed) {
    return "Columns: " +
           joined_text(columns,
                       ", ",
                       [](model::ColumnInfo const& column) {
                           return printable_text(column.name) + " " + to_string(column.type);
                       }) +
           (guessed ? " (guessed; --schema sets them)\n" : "\n");
}

void result_fields(model::ColumnInfo const& column, auto& field) {
    field("name", column.name);
    field("type", to_string(column.type));
}

void result_fields(model::SortKey const& key, auto& field) {
    field("column", key.column);
    field("direction", key.direction);
    field("nulls", key.nulls);
}

void result_fields(model::RowsDigest const& digest, auto& field) {
    field("rows", digest.row_count);
    field("high", hash_text(digest.high));
    field("low", hash_text(digest.low));
}

void result_fields(model::RowOrderFinding const& order, auto& field) {
    field("row", order.row);
    field("output_file", order.part);
    field("column", order.column);
    field("cell_before", order.cell_before);
    field("cell_at", order.cell_at);
    field("places", order.descent_count);
}

void result_fields(model::RowFinding const& row, auto& field) {
    field("row", row.row);
    field("in_input", row.in_before);
    field("in_output", row.in_after);
    field("cells", row.cells);
}

void result_fields(model::RowStabilityFinding const& finding, auto& field) {
    field("row", finding.row);
    field("keys", finding.keys);
    field("expected_input_row", finding.expected);
    field("found_input_row", finding.found);
}

void result_fields(model::RowCauseGuess const& guess, auto& field) {
    field("cause", guess.cause);
    field("sentence", guess.sentence);
}

void result_fields(model::RowCheck const& check, auto& field) {
    field("holds", check.holds());
    field("sorted", check.sorted());
    field("permutation", check.before ? std::optional(check.permutation()) : std::nullopt);
    field("stable", check.stable);
    field("keys", check.keys);
    field("columns", check.columns);
    field("hash_seed", check.hash_seed);
    field("input", check.before);
    field("output", check.after);
    field("order", check.order);
    field("lost", check.lost_count);
    field("gained", check.gained_count);
    field("rows", check.rows);
    field("unstable", check.unstable);
    field("guess", check.guess);
    field("sentences", sentences(check));
}

} // namespace keyswap::tools
