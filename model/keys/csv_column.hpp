#pragma once

/// \file One column of CSV rows.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Which cell of each row is the key. Cells may stand between quotation marks, in which two stand
/// for one and the separator for itself; a cell ends with its row. Quotation marks within other
/// cells stand for themselves.
class CsvColumn {
  public:
    enum class Need {
        always,
        if_there_are_several ///< a table of one column is that column, whatever its name
    };

    /// Looks for the column in the first row, by which the separator is known too: a tabulator,
    /// comma or semicolon outside quotation marks.
    /// \param row without its line end, as below
    /// \param wanted its number from 1 on, where it has digits only; else its header
    /// \return an error without a subject where there is no such column, or where two are named so
    [[nodiscard]] static Expected<CsvColumn>
    find(std::string_view row, std::string const& wanted, Need need = Need::always);

    /// The cell of a row, without its quotation marks.
    /// \return an error without a subject for a row that has more or fewer cells than the first
    [[nodiscard]] Expected<std::string> cell(std::string_view row) const;

    /// Whether the first row holds headers for certain, since the column was named by one.
    [[nodiscard]] bool is_named() const { return is_named_; }
    /// Columns of the table.
    [[nodiscard]] std::size_t count() const { return count_; }

  private:
    char separator_ = ',';
    std::size_t index_ = 0;
    std::size_t count_ = 1;
    bool is_named_ = false;
    bool is_ambiguous_ = false; ///< the first row has both commas and semicolons
};

/// A cell of a row, without its quotation marks.
struct CsvCell {
    std::string text;
    bool quoted = false; ///< within quotation marks: never a missing value
};

/// The cells of a row. \return an error without a subject for quotation marks that are not closed
/// or go on after they are
[[nodiscard]] Expected<std::vector<CsvCell>> csv_cells(std::string_view row, char separator);

/// What separates the cells of a table with this first row: a tabulator, comma or semicolon.
[[nodiscard]] char csv_separator(std::string_view first_row);

/// Whether a row ends within quotation marks, so that the next line is part of it.
[[nodiscard]] bool is_open_row(std::string_view row, char separator);

/// The only cell of a row, without quotation marks; `nullopt` if the row has several.
[[nodiscard]] std::optional<std::string> lone_cell(std::string_view row);

} // namespace keyswap::model
