#include "model/keys/csv_column.hpp"

#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::size_t headings_shown_max = 8;

std::string_view without_row_end(std::string_view row) {
    return row.ends_with('\r') ? row.substr(0, row.size() - 1) : row;
}

char separator_of(std::string_view row) {
    bool quoted = false;
    for (char const letter : row) {
        quoted = quoted != (letter == '"');
        if (!quoted && (letter == ',' || letter == ';' || letter == '\t')) {
            return letter;
        }
    }
    return ',';
}

Expected<std::vector<std::string>> cells_of(std::string_view row, char separator) {
    std::vector<std::string> cells(1);
    bool quoted = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] == '"' && quoted && i + 1 < row.size() && row[i + 1] == '"') {
            cells.back() += row[++i];
        } else if (row[i] == '"') {
            quoted = !quoted;
        } else if (row[i] == separator && !quoted) {
            cells.emplace_back();
        } else {
            cells.back() += row[i];
        }
    }
    if (quoted) {
        return tl::unexpected(InputError{
            "", "has a quotation mark that is not closed in its row", "write each row in a line"});
    }
    return cells;
}

std::string shown(std::vector<std::string> const& cells) {
    std::string text;
    for (std::size_t i = 0; i < std::min(cells.size(), headings_shown_max); ++i) {
        text += (i == 0 ? "'" : ", '") + printable_text(cells[i]) + "'";
    }
    return text + (cells.size() > headings_shown_max ? " ..." : "");
}

} // namespace

Expected<CsvColumn> CsvColumn::find(std::string_view first_row, std::string const& wanted) {
    std::string_view const row = without_row_end(first_row);
    CsvColumn column;
    column.separator_ = separator_of(row);
    auto const cells = cells_of(row, column.separator_);
    if (!cells) {
        return tl::unexpected(cells.error());
    }
    std::string const all = "the first row has " + shown(*cells);
    if (!wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos) {
        std::size_t number = 0;
        std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
        if (number == 0 || number > cells->size()) {
            return tl::unexpected(InputError{"",
                                             "has no column " + wanted + ": " + all,
                                             "columns count from 1; correct --column"});
        }
        column.index_ = number - 1;
        return column;
    }
    auto const found = std::ranges::find(*cells, wanted);
    if (found == cells->end()) {
        return tl::unexpected(InputError{
            "", "has no column '" + wanted + "': " + all, "correct --column, or give its number"});
    }
    if (std::find(found + 1, cells->end(), wanted) != cells->end()) {
        return tl::unexpected(
            InputError{"", "has two columns '" + wanted + "'", "give --column its number"});
    }
    column.index_ = static_cast<std::size_t>(found - cells->begin());
    column.is_named_ = true;
    return column;
}

Expected<std::string> CsvColumn::cell(std::string_view row) const {
    auto cells = cells_of(without_row_end(row), separator_);
    if (!cells) {
        return tl::unexpected(cells.error());
    }
    if (index_ >= cells->size()) {
        return tl::unexpected(InputError{"",
                                         "has " + std::to_string(cells->size()) +
                                             " columns, and column " + std::to_string(index_ + 1) +
                                             " is asked for",
                                         "complete the row"});
    }
    return std::move((*cells)[index_]);
}

} // namespace keyswap::model
