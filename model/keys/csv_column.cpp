#include "model/keys/csv_column.hpp"

#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::size_t headings_shown_max = 8;

/// A tabulator if there is one. Else the first comma or semicolon, but the semicolon where a comma
/// stands between digits: programs that write decimal commas separate cells by semicolons.
char separator_of(std::string_view row) {
    constexpr auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    bool quoted = false;
    bool decimal_comma = false;
    char first = '\0';
    bool has_semicolon = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
        quoted = quoted != (row[i] == '"');
        if (quoted) {
            continue;
        }
        if (row[i] == '\t') {
            return '\t';
        }
        if (row[i] == ',' || row[i] == ';') {
            first = first == '\0' ? row[i] : first;
            has_semicolon = has_semicolon || row[i] == ';';
            decimal_comma = decimal_comma || (row[i] == ',' && i > 0 && i + 1 < row.size() &&
                                              is_digit(row[i - 1]) && is_digit(row[i + 1]));
        }
    }
    return has_semicolon && decimal_comma ? ';' : first == '\0' ? ',' : first;
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

std::optional<std::string> lone_cell(std::string_view row) {
    auto cells = cells_of(row, separator_of(row));
    return cells && cells->size() == 1 ? std::optional(std::move(cells->front())) : std::nullopt;
}

Expected<CsvColumn> CsvColumn::find(std::string_view row, std::string const& wanted, Need need) {
    CsvColumn column;
    column.separator_ = separator_of(row);
    auto const cells = cells_of(row, column.separator_);
    if (!cells) {
        return tl::unexpected(cells.error());
    }
    column.count_ = cells->size();
    if (need == Need::if_there_are_several && cells->size() == 1) {
        column.is_named_ = cells->front() == wanted;
        return column;
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
        bool const several = wanted.find(',') != std::string::npos;
        return tl::unexpected(
            InputError{"",
                       "has no column '" + wanted + "': " + all,
                       several ? "name one column: keys of several columns are not read; pack them "
                                 "into one number, such as a * 2^32 + b"
                               : "correct --column, or give its number"});
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
    auto cells = cells_of(row, separator_);
    if (!cells) {
        return tl::unexpected(cells.error());
    }
    if (cells->size() != count_) {
        auto const text = [](std::size_t count) {
            return std::to_string(count) + (count == 1 ? " cell" : " cells");
        };
        return tl::unexpected(InputError{
            "",
            "has " + text(cells->size()) + ", and the first row " + text(count_),
            cells->size() < count_ ? "complete the row"
                                   : "give each column a name, and quote cells that hold "
                                     "the separator"});
    }
    return std::move((*cells)[index_]);
}

} // namespace keyswap::model
