#include "model/rows/readers/csv_table.hpp"

#include "model/key_files/csv_column.hpp"
#include "model/keys/key_text.hpp"
#include "model/keys/wrong_key.hpp"
#include "model/rows/readers/cell_parsing.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/errors/utf8.hpp"
#include "traces/format/byte_order_mark.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::model {

namespace {

constexpr std::size_t cell_shown_max = 40;
CellType const float16{CellKind::floating, 2};

/// True for an unquoted cell that is empty or one of SQL's spellings of null.
bool is_missing(CsvCell const& cell) {
    return !cell.quoted && (cell.text.empty() || cell.text == "NULL" || cell.text == "\\N");
}

/// True for a text in a column whose other cells are of another type.
bool is_unlike(TypeGuess guess, std::string_view cell) {
    CellType const others = guess.best();
    guess.see(cell);
    return others.kind != CellKind::null && !others.is_sequence() && guess.best().is_sequence();
}

/// True for cells of a first row that cannot be column names.
bool is_value(CsvCell const& cell) {
    double number = 0;
    return !cell.quoted &&
           (cell.text.empty() ||
            parse_key(cell.text, KeyType::f64, std::as_writable_bytes(std::span(&number, 1))));
}

std::string_view without_line_end(std::string_view row) {
    row.remove_suffix(row.ends_with('\n') ? 1 : 0);
    row.remove_suffix(row.ends_with('\r') ? 1 : 0);
    return row;
}

bool is_blank(std::string_view row) {
    return row.find_first_not_of(" \t\r\n\v\f\x1a") == std::string_view::npos;
}

/// Takes the first row off a text, line end included; an empty view at the end.
std::string_view take_row(std::string_view& text, char separator) {
    std::string_view const row = text.substr(0, csv_row_end(text, separator));
    text.remove_prefix(row.size());
    return row;
}

class CsvTableReader {
  public:
    CsvTableReader(std::string const& name, CsvTableOptions const& options)
        : name_(name), options_(options) {}

    Expected<TableFile> read(std::shared_ptr<std::string const> const& text) {
        text_ = *text;
        KEYSWAP_TRY(auto rows, split(text_));
        KEYSWAP_RETURN_IF_ERROR(resolve_header());
        KEYSWAP_TRY(auto const types, resolve_types(rows));
        std::vector<ColumnBuilder> builders;
        std::vector<ColumnInfo> columns;
        for (std::size_t i = 0; i < names_.size(); ++i) {
            builders.emplace_back(types[i]);
            columns.push_back({names_[i], types[i]});
        }
        for (std::string_view const row : rows) {
            KEYSWAP_TRY(auto const cells, cells_of(row));
            for (std::size_t i = 0; i < cells.size(); ++i) {
                if (is_missing(cells[i])) {
                    builders[i].add_null();
                } else if (!add_parsed(builders[i], cells[i].text)) {
                    return tl::unexpected(wrong_cell(row, columns[i], cells[i].text));
                }
            }
        }
        RowBatch batch{0, rows.size(), {}};
        TableFile result{RowTable(name_, columns), false, header_, std::move(rows), {}, 0, text};
        for (ColumnBuilder& builder : builders) {
            batch.columns.push_back(builder.take());
        }
        result.table.add(std::move(batch));
        return result;
    }

  private:
    /// Detects the header and returns the rows below it.
    Expected<std::vector<std::string_view>> split(std::string_view text) {
        text = without_byte_order_mark(text);
        std::string_view const first_line = text.substr(0, text.find('\n'));
        if (is_blank(first_line)) {
            return input_error(
                name_, "has no first row that names its columns", "write a row of names");
        }
        // The separator may come after a name that contains a line break.
        separator_ = csv_separator(first_line);
        separator_ = csv_separator(text.substr(0, csv_row_end(text, separator_)));
        header_ = take_row(text, separator_);
        first_row_ = without_line_end(header_);
        std::vector<std::string_view> all;
        while (!text.empty()) {
            all.push_back(take_row(text, separator_));
        }
        // A row of tabulators alone has cells, all of them nulls.
        while (!all.empty() && is_blank(all.back()) &&
               (separator_ != '\t' || all.back().find('\t') == std::string_view::npos)) {
            all.pop_back();
        }
        auto cells = csv_cells(first_row_, separator_);
        if (!cells) {
            return tl::unexpected(in_row("line 1", cells.error()));
        }
        first_cells_ = std::move(*cells);
        KEYSWAP_RETURN_IF_ERROR(check_first_row());
        has_header_ = std::ranges::none_of(first_cells_, is_value) ||
                      std::ranges::any_of(first_cells_, [this](CsvCell const& cell) {
                          return is_known_name(cell);
                      });
        if (!has_header_) {
            all.insert(all.begin(), std::exchange(header_, {}));
        }
        return all;
    }

    /// Refuses a first row that is neither a header nor a row of the table.
    Expected<void> check_first_row() const {
        bool const cr_alone = std::ranges::any_of(first_cells_, [](CsvCell const& cell) {
            return !cell.quoted && cell.text.find('\r') != std::string::npos;
        });
        if (cr_alone) {
            return tl::unexpected(in_row("line 1", wrong_key(first_row_, KeyType::u64)));
        }
        if (auto const excel = excel_separator(first_row_)) {
            return tl::unexpected(in_row("line 1", *excel));
        }
        return {};
    }

    /// True if the options name such a column. Numbers do not count: they may be cells or indices.
    [[nodiscard]] bool is_known_name(CsvCell const& cell) const {
        return !is_value(cell) &&
               (std::ranges::find(options_.names, cell.text) != options_.names.end() ||
                std::ranges::find(options_.schema, cell.text, &ColumnInfo::name) !=
                    options_.schema.end());
    }

    Expected<void> resolve_header() {
        for (std::size_t i = 0; i < first_cells_.size(); ++i) {
            names_.push_back(has_header_ ? std::string(without_blanks(first_cells_[i].text))
                                         : std::to_string(i + 1));
            if (!is_utf8(names_.back())) {
                return input_error(name_,
                                   "has a column name that is not UTF-8",
                                   "save it as UTF-8: iconv -f LATIN1 -t UTF-8");
            }
        }
        for (ColumnInfo const& wanted : options_.schema) {
            if (std::ranges::find(names_, wanted.name) == names_.end()) {
                return options_.guessed_from.empty()
                           ? tl::unexpected(no_schema_column(name_, names_, wanted.name))
                           : Expected<void>{}; // reported by the comparison of tables
            }
        }
        return {};
    }

    Expected<std::vector<CsvCell>> cells_of(std::string_view text) const {
        auto cells = csv_cells(without_line_end(text), separator_);
        if (!cells) {
            return tl::unexpected(in_row(line_name(text), cells.error()));
        }
        // Programs write a missing value of a lone column in quotation marks, or as NULL.
        bool const blank =
            names_.size() == cells->size() ? names_.size() == 1 && is_blank(text) : is_blank(text);
        if (blank) {
            return input_error(name_ + ", " + line_name(text), "is blank", "remove the line");
        }
        if (cells->size() != names_.size()) {
            auto const none = describe_non_row(first_row_, std::nullopt);
            if (none && names_.size() == 1) {
                return tl::unexpected(in_row("line 1", *none));
            }
            return tl::unexpected(
                in_row(line_name(text),
                       describe_non_row(without_line_end(text), first_row_)
                           .value_or(wrong_cell_count(cells->size(), names_.size()))));
        }
        return cells;
    }

    Expected<std::vector<CellType>> resolve_types(std::vector<std::string_view> const& rows) const {
        std::vector<CellType> types(names_.size());
        std::vector<bool> known(names_.size(), false);
        for (std::size_t i = 0; i < names_.size(); ++i) {
            auto const wanted = std::ranges::find(options_.schema, names_[i], &ColumnInfo::name);
            if (wanted != options_.schema.end()) {
                if (wanted->type == float16 && !options_.types_are_fixed) {
                    return tl::unexpected(
                        InputError{setting("schema"),
                                   "column '" + printable_text(wanted->name) + "' of " + name_ +
                                       " holds decimal numbers, which are not float16 before they "
                                       "are rounded",
                                   "give float32, or save the rounded table as .npy"});
                }
                types[i] = wanted->type;
                known[i] = true;
            }
        }
        if (std::ranges::find(known, false) == known.end()) {
            return types;
        }
        std::vector<TypeGuess> guesses(names_.size());
        auto const see = [&](std::vector<CsvCell> const& cells) {
            for (std::size_t i = 0; i < cells.size(); ++i) {
                if (!known[i] && !is_missing(cells[i])) {
                    guesses[i].see(cells[i].text);
                }
            }
        };
        // A first row without a header, or a header again, is seen last: its text must not make
        // text of a column of numbers.
        std::vector<std::string_view> like_first;
        for (std::string_view const row : rows) {
            if (without_line_end(row) == first_row_) {
                like_first.push_back(row);
            } else {
                KEYSWAP_TRY(auto const cells, cells_of(row));
                see(cells);
            }
        }
        for (std::string_view const row : like_first) {
            KEYSWAP_TRY(auto const cells, cells_of(row));
            KEYSWAP_RETURN_IF_ERROR(check_like_first(row, cells, known, guesses));
            see(cells);
        }
        for (std::size_t i = 0; i < names_.size(); ++i) {
            if (auto const number = known[i] ? std::nullopt : guesses[i].rounded()) {
                return tl::unexpected(rounded_number(names_[i], *number));
            }
            types[i] = known[i] ? types[i] : guesses[i].best();
        }
        return types;
    }

    [[nodiscard]] InputError rounded_number(std::string const& column,
                                            std::string_view number) const {
        std::string const name = printable_text(column);
        return {name_,
                "column '" + name + "' has '" + printable_text(number.substr(0, cell_shown_max)) +
                    "', which float64 rounds, and not all cells are decimals of 38 digits",
                "give " + setting("schema") + " '" + name +
                    ":double' to compare rounded numbers, or '" + name +
                    ":string' to compare text"};
    }

    /// Refuses a header again, and a first row that may be a header although it has values.
    /// \param guesses of the other rows
    Expected<void> check_like_first(std::string_view row,
                                    std::vector<CsvCell> const& cells,
                                    std::vector<bool> const& known,
                                    std::vector<TypeGuess> const& guesses) const {
        if (!has_header_ && std::ranges::find(known, true) != known.end()) {
            return {}; // the schema numbers the columns, hence there is no header
        }
        std::optional<std::size_t> unlike; ///< column with a text above or below other values
        std::optional<std::size_t> empty;
        std::optional<std::size_t> text;
        std::optional<std::string> number;
        bool is_row = false;
        for (std::size_t i = 0; i < cells.size(); ++i) {
            if (is_missing(cells[i])) {
                empty = i;
            } else if (is_value(cells[i])) {
                number = printable_text(cells[i].text);
                is_row = true;
            } else if (!known[i] && is_unlike(guesses[i], cells[i].text)) {
                unlike = i;
            } else {
                text = i;
                is_row = is_row || !(guesses[i].best().is_sequence() ||
                                     guesses[i].best().kind == CellKind::null);
            }
        }
        if (has_header_) {
            return unlike ? tl::unexpected(in_row(line_name(row), repeated_header()))
                          : Expected<void>();
        }
        if (!unlike && (is_row || !empty || !text)) {
            return {};
        }
        auto const schema = [&](std::string const& name, std::size_t column) {
            CellType const type = guesses[column].best();
            return "'" + printable_text(name) + ":" +
                   (type.kind == CellKind::null ? "string" : to_string(type)) + "'";
        };
        std::size_t const named = unlike ? *unlike : *text;
        return tl::unexpected(in_row(
            line_name(row),
            {"",
             unlike ? "is neither a header, with " +
                          (number ? "the number '" + *number + "'" : std::string("an empty cell")) +
                          ", nor a row, with '" + printable_text(cells[named].text) +
                          "' above values of type " + to_string(guesses[named].best())
                    : "is a header with an empty name, or a row without a value",
             "give " + setting("schema") + " " + schema(cells[named].text, named) +
                 " if it is a header, or " + setting("schema") + " " +
                 (unlike ? "'" + std::to_string(named + 1) + ":string'"
                         : schema(std::to_string(*empty + 1), *empty)) +
                 " if it is a row"}));
    }

    /// Line number of the row's start, as editors count. \param row view into the text
    [[nodiscard]] std::string line_name(std::string_view row) const {
        auto const before = std::count(text_.data(), row.data(), '\n');
        return "line " + std::to_string(before + 1);
    }
    [[nodiscard]] InputError repeated_header() const {
        return *describe_non_row(first_row_, first_row_);
    }
    [[nodiscard]] InputError in_row(std::string const& row, InputError const& error) const {
        return {name_ + ", " + row, error.problem, error.remedy};
    }
    [[nodiscard]] InputError
    wrong_cell(std::string_view row, ColumnInfo const& column, std::string const& cell) const {
        if (has_header_ && without_line_end(row) == first_row_) {
            return in_row(line_name(row), repeated_header());
        }
        std::string const from =
            options_.guessed_from.empty()
                ? ""
                : ", the type that the column's cells in " + options_.guessed_from + " have";
        ColumnBuilder numbers(CellType{CellKind::floating, sizeof(double)});
        bool const is_number = add_parsed(numbers, cell);
        std::string const remedy =
            options_.types_are_fixed
                ? "save both as CSV, or both as .npy"
                : "give " + setting("schema") + " '" + printable_text(column.name) +
                      (is_number && (column.type.kind == CellKind::signed_integer ||
                                     column.type.kind == CellKind::decimal)
                           ? ":double'"
                           : ":string'") +
                      ", or another type that fits all cells";
        return {name_ + ", " + line_name(row),
                "column '" + printable_text(column.name) + "' has '" +
                    printable_text(cell.substr(0, cell_shown_max)) + "', which is not a valid " +
                    to_string(column.type) + from,
                remedy};
    }

    std::string const& name_;
    CsvTableOptions const& options_;
    std::string_view text_;
    char separator_ = ',';
    bool has_header_ = true;
    std::string_view header_;    ///< with its line end; empty if there is none
    std::string_view first_row_; ///< header or not, without its line end
    std::vector<CsvCell> first_cells_;
    std::vector<std::string> names_;
};

/// End of a schema item: the first comma outside quotation marks and brackets.
std::size_t item_end(std::string_view text) {
    bool quoted = false;
    int depth = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        quoted = quoted != (text[i] == '"');
        depth += quoted ? 0 : (text[i] == '(' || text[i] == '[') ? 1 : 0;
        depth -= quoted ? 0 : (text[i] == ')' || text[i] == ']') ? 1 : 0;
        if (text[i] == ',' && !quoted && depth <= 0) {
            return i;
        }
    }
    return text.size();
}

tl::unexpected<InputError> wrong_schema(std::string problem) {
    return input_error(setting("schema"), std::move(problem), "write name:type,name:type");
}

} // namespace

Expected<std::vector<ColumnInfo>> parse_schema(std::string_view text) {
    std::vector<ColumnInfo> columns;
    while (true) {
        std::size_t const end = item_end(text);
        std::string_view const item = text.substr(0, end);
        // The arguments of a type may hold colons: timestamp[us, +05:30].
        std::size_t const arguments = item.ends_with(']') || item.ends_with(')')
                                          ? item.find_last_of("[(")
                                          : std::string_view::npos;
        std::size_t const colon = item.rfind(':', arguments);
        if (colon == std::string_view::npos || colon == 0) {
            return wrong_schema("'" + printable_text(item) + "' gives no type");
        }
        KEYSWAP_TRY(auto const cells, csv_cells(item.substr(0, colon), ','));
        auto type = parse_cell_type(item.substr(colon + 1));
        if (!type) {
            return input_error(setting("schema"), type.error().problem, type.error().remedy);
        }
        if (std::ranges::find(columns, cells.front().text, &ColumnInfo::name) != columns.end()) {
            return wrong_schema("column '" + printable_text(cells.front().text) +
                                "' has two types");
        }
        columns.push_back({cells.front().text, *type});
        if (end == text.size()) {
            return columns;
        }
        text.remove_prefix(end + 1);
    }
}

Expected<TableFile>
parse_csv_table(std::string text, std::string const& name, CsvTableOptions const& options) {
    return CsvTableReader(name, options).read(std::make_shared<std::string const>(std::move(text)));
}

InputError no_schema_column(std::string const& table,
                            std::vector<std::string> const& names,
                            std::string const& wanted) {
    return {setting("schema"),
            table + " has no column '" + printable_text(wanted) + "'",
            KnownNames(names, printable_text).remedy(wanted, "its columns: ")};
}

} // namespace keyswap::model
