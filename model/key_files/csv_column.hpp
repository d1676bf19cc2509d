#pragma once

/// \file One column of CSV rows.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Selects the key's cell in each row. A cell may be quoted: it may then contain the separator, and
/// two quotation marks for one, but no line break. Quotation marks inside an unquoted cell are
/// ordinary characters.
class CsvColumn {
  public:
    enum class Need {
        always,
        ignored_if_single ///< a table with a single column matches, whatever its name
    };

    /// Finds the column in the first row and detects the separator in it, as csv_separator() does:
    /// a tabulator, comma or semicolon outside quotation marks.
    /// \param row first row, without line end
    /// \param wanted column number (from 1) if it consists of digits, else the column's header
    /// \return an error without a subject if no column matches, or if two have this header
    [[nodiscard]] static Expected<CsvColumn>
    find(std::string_view row, std::string const& wanted, Need need = Need::always);

    /// The key's cell of a row, unquoted.
    /// \return an error without a subject if the row has more or fewer cells than the first
    [[nodiscard]] Expected<std::string> cell(std::string_view row) const;

    /// True if the first row is certainly a header, because the column was found by name.
    [[nodiscard]] bool is_named() const { return is_named_; }
    [[nodiscard]] char separator() const { return separator_; }
    /// Columns of the table.
    [[nodiscard]] std::size_t count() const { return count_; }

  private:
    char separator_ = ',';
    std::size_t index_ = 0;
    std::size_t count_ = 1;
    bool is_named_ = false;
    bool is_ambiguous_ = false; ///< the first row has both commas and semicolons
};

/// A cell of a row, unquoted.
struct CsvCell {
    std::string text;
    bool quoted = false; ///< was quoted; such a cell is never a missing value
};

/// Splits a row into cells. \return an error without a subject if a quotation mark is not closed
/// or if text follows a closing one
[[nodiscard]] Expected<std::vector<CsvCell>> csv_cells(std::string_view row, char separator);

/// The separator used in a table's first row: a tabulator if any, else comma or semicolon.
[[nodiscard]] char csv_separator(std::string_view first_row);

/// The error for Excel's separator line, "sep=;", without a subject; nullopt for other rows.
[[nodiscard]] std::optional<InputError> excel_separator(std::string_view first_row);

/// Why a row is not one of a table, without a subject: it is a comment, Excel's separator line, or
/// the header again; nullopt for other rows. \param first_row nullopt if `row` is the first one
[[nodiscard]] std::optional<InputError> describe_non_row(std::string_view row,
                                                         std::optional<std::string_view> first_row);

/// The error for a row with more or fewer cells than the first one, without a subject.
[[nodiscard]] InputError wrong_cell_count(std::size_t count, std::size_t first_count);

/// End of a text's first row, line end included. Quoted cells may contain line breaks.
[[nodiscard]] std::size_t csv_row_end(std::string_view text, char separator);

/// The only cell of a row, unquoted; `nullopt` if the row has several or is malformed.
[[nodiscard]] std::optional<std::string> only_cell(std::string_view row);

} // namespace keyswap::model
