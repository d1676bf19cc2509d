#include "model/key_files/csv_column.hpp"

#include "model/keys/key_text.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/joined_text.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <span>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::size_t headers_shown_max = 8;

/// Separator of a row: a tabulator if it has one, else the first comma or semicolon. A comma
/// between digits makes it the semicolon, because programs that write decimal commas separate cells
/// by semicolons.
struct Separators {
    char best = ',';
    bool several = false; ///< the row has both commas and semicolons
};

Separators separators_of(std::string_view row) {
    constexpr auto is_digit = [](char letter) { return letter >= '0' && letter <= '9'; };
    bool quoted = false;
    bool at_begin = true;
    bool decimal_comma = false;
    char first = '\0';
    bool has_semicolon = false;
    bool has_comma = false;
    for (std::size_t i = 0; i < row.size(); ++i) {
        if (row[i] == '"' && (quoted || at_begin)) {
            quoted = !quoted;
        }
        if (quoted) {
            continue;
        }
        if (row[i] == '\t') {
            return {'\t', false};
        }
        bool const separates = row[i] == ',' || row[i] == ';';
        // A doubled quotation mark closes and reopens the quoted text.
        at_begin = separates || row[i] == '"' || (at_begin && row[i] == ' ');
        if (separates) {
            first = first == '\0' ? row[i] : first;
            has_semicolon = has_semicolon || row[i] == ';';
            has_comma = has_comma || row[i] == ',';
            decimal_comma = decimal_comma || (row[i] == ',' && i > 0 && i + 1 < row.size() &&
                                              is_digit(row[i - 1]) && is_digit(row[i + 1]));
        }
    }
    return {has_semicolon && decimal_comma ? ';'
            : first == '\0'                ? ','
                                           : first,
            has_semicolon && has_comma};
}

enum class SplitText { whole, first_row };

/// The cells of a text; `quoted` if it ends inside quotation marks.
struct SplitRow {
    std::vector<CsvCell> cells;
    std::size_t end = 0; ///< of what was split: before a line end, or where text goes on
    bool quoted = false;
    bool goes_on = false; ///< text follows a closing quotation mark
};

/// Quotation marks enclose a cell only at its start; elsewhere they are ordinary characters.
SplitRow split_row(std::string_view row, char separator, SplitText extent = SplitText::whole) {
    SplitRow split{std::vector<CsvCell>(1)};
    auto& cells = split.cells;
    bool closed = false; ///< the last cell's quotation marks are closed
    std::size_t& i = split.end;
    for (; i < row.size(); ++i) {
        if (extent == SplitText::first_row && row[i] == '\n' && !split.quoted) {
            break;
        }
        std::string& cell = cells.back().text;
        if (split.quoted && row[i] == '"' && i + 1 < row.size() && row[i + 1] == '"') {
            cell += row[++i];
        } else if (split.quoted && row[i] == '"') {
            split.quoted = false;
            closed = true;
        } else if (row[i] == separator && !split.quoted) {
            cells.emplace_back();
            closed = false;
        } else if (closed && row[i] != ' ') {
            split.goes_on = true;
            return split;
        } else if (row[i] == '"' && !closed && !split.quoted &&
                   cell.find_first_not_of(' ') == std::string::npos) {
            split.quoted = cells.back().quoted = true;
            cell.clear();
        } else if (!closed) {
            cell += row[i];
        }
    }
    return split;
}

Expected<std::vector<std::string>> cells_of(std::string_view row, char separator) {
    KEYSWAP_TRY(auto cells, csv_cells(row, separator));
    std::vector<std::string> texts;
    texts.reserve(cells.size());
    for (CsvCell& cell : cells) {
        texts.push_back(std::move(cell.text));
    }
    return texts;
}

std::string shown(std::vector<std::string> const& cells) {
    auto const first = std::span(cells).first(std::min(cells.size(), headers_shown_max));
    return joined_text(first, ", ", [](auto& cell) { return "'" + printable_text(cell) + "'"; }) +
           (cells.size() > headers_shown_max ? " ..." : "");
}

/// Remedy for a column that was not found; `otherwise` unless the row suggests something better.
std::string remedy_for(std::vector<std::string> const& cells,
                       std::string const& wanted,
                       std::string const& otherwise) {
    if (wanted.find(',') != std::string::npos) {
        return "name one column: keys of several columns are not read; pack them into one number, "
               "such as a * 2^32 + b";
    }
    bool const is_one = cells.size() == 1;
    if (is_one && cells.front().find('|') != std::string::npos) {
        return "separate cells by commas, semicolons or tabulators: tr '|' '\\t'";
    }
    if (is_one && without_blanks(cells.front()).find(' ') != std::string_view::npos) {
        return otherwise +
               "; cells are separated by commas, semicolons or tabulators, not by spaces";
    }
    return otherwise;
}

} // namespace

Expected<std::vector<CsvCell>> csv_cells(std::string_view row, char separator) {
    auto split = split_row(row, separator);
    if (split.goes_on) {
        return input_error("",
                           "has a cell that continues after its closing quotation mark",
                           "write two quotation marks for one within a cell");
    }
    if (split.quoted) {
        return input_error("",
                           "has a quotation mark that is not closed in the same row",
                           "write each row in a line");
    }
    return std::move(split.cells);
}

char csv_separator(std::string_view first_row) {
    return separators_of(first_row).best;
}

std::optional<InputError> excel_separator(std::string_view first_row) {
    if (first_row.size() != 5 || !first_row.starts_with("sep=")) {
        return std::nullopt;
    }
    return InputError{"",
                      "'" + std::string(first_row) + "' is Excel's separator line",
                      "leave it out: tail -n +2"};
}

std::optional<InputError> describe_non_row(std::string_view row,
                                           std::optional<std::string_view> first_row) {
    if (first_row && *first_row == row) {
        return InputError{"",
                          "repeats the first row, as in concatenated tables",
                          "leave out all headers but the first"};
    }
    constexpr std::size_t comment_size_shown = 40;
    if (row.starts_with('#') && row.find_first_of("!?") == std::string_view::npos) {
        return InputError{"",
                          "'" + printable_text(row.substr(0, comment_size_shown)) +
                              "' is a comment, and comments are not supported",
                          "leave out such rows: grep -v '^#'"};
    }
    return first_row ? std::nullopt : excel_separator(row);
}

InputError wrong_cell_count(std::size_t count, std::size_t first_count) {
    auto const text = [](std::size_t cells) {
        return std::to_string(cells) + (cells == 1 ? " cell" : " cells");
    };
    return {"",
            "has " + text(count) + ", and the first row " + text(first_count),
            count < first_count ? "complete the row"
                                : "give each column a name, and quote cells that hold the "
                                  "separator"};
}

std::size_t csv_row_end(std::string_view text, char separator) {
    std::size_t const end = split_row(text, separator, SplitText::first_row).end;
    return std::min(text.find('\n', end), text.size() - 1) + 1;
}

std::optional<std::string> only_cell(std::string_view row) {
    auto cells = cells_of(row, separators_of(row).best);
    return cells && cells->size() == 1 ? std::optional(std::move(cells->front())) : std::nullopt;
}

Expected<CsvColumn> CsvColumn::find(std::string_view row, std::string const& wanted, Need need) {
    CsvColumn column;
    auto const separators = separators_of(row);
    column.separator_ = separators.best;
    column.is_ambiguous_ = separators.several && separators.best == ',';
    KEYSWAP_TRY(auto cells, cells_of(row, column.separator_));
    column.count_ = cells.size();
    if (need == Need::ignored_if_single && cells.size() == 1) {
        column.is_named_ = cells.front() == wanted;
        return column;
    }
    std::string const all = "the first row has " + shown(cells);
    if (!wanted.empty() && wanted.find_first_not_of("0123456789") == std::string::npos) {
        std::size_t const number = parsed_number<std::size_t>(wanted).value_or(0);
        if (number == 0 || number > cells.size()) {
            return input_error(
                "",
                "has no column " + wanted + ": " + all,
                remedy_for(cells, wanted, "columns count from 1; correct " + setting("column")));
        }
        column.index_ = number - 1;
        return column;
    }
    // Names must match exactly; surrounding blanks are ignored only if no name matches exactly.
    bool const exact = std::ranges::find(cells, wanted) != cells.end();
    if (!exact) {
        for (std::string& cell : cells) {
            cell = std::string(without_blanks(cell));
        }
    }
    auto const found = std::ranges::find(cells, wanted);
    if (wanted.empty() || found == cells.end()) {
        return input_error(
            "",
            "has no column '" + wanted + "': " + all,
            remedy_for(cells, wanted, "correct " + setting("column") + ", or give its number"));
    }
    if (std::find(found + 1, cells.end(), wanted) != cells.end()) {
        return input_error(
            "", "has two columns '" + wanted + "'", "give " + setting("column") + " its number");
    }
    column.index_ = static_cast<std::size_t>(found - cells.begin());
    column.is_named_ = true;
    return column;
}

Expected<std::string> CsvColumn::cell(std::string_view row) const {
    if (is_ambiguous_ && separators_of(row).best == ';') {
        return input_error(
            "",
            "has semicolons between cells and a comma in a number, and the first row has both too",
            "quote cells of the first row that hold a comma");
    }
    KEYSWAP_TRY(auto cells, cells_of(row, separator_));
    if (cells.size() != count_) {
        return tl::unexpected(wrong_cell_count(cells.size(), count_));
    }
    return std::move(cells[index_]);
}

} // namespace keyswap::model
