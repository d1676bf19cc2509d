#pragma once

/// \file One column of CSV rows.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace keyswap::model {

/// Which cell of each row is the key. Cells may stand between quotation marks, in which two stand
/// for one and the separator for itself; a cell ends with its row.
class CsvColumn {
  public:
    /// Looks for the column in the first row, by which the separator is known too: the first of
    /// comma, semicolon and tabulator outside quotation marks.
    /// \param wanted its number from 1 on, where it has digits only; else its heading
    /// \return an error without a subject where there is no such column, or where two are named so
    [[nodiscard]] static Expected<CsvColumn> find(std::string_view first_row,
                                                  std::string const& wanted);

    /// The cell of a row, without its quotation marks.
    /// \return an error without a subject for a row that has too few cells
    [[nodiscard]] Expected<std::string> cell(std::string_view row) const;

    /// Whether the first row holds headings for certain, since the column was named by one.
    [[nodiscard]] bool is_named() const { return is_named_; }

  private:
    char separator_ = ',';
    std::size_t index_ = 0;
    bool is_named_ = false;
};

} // namespace keyswap::model
