#pragma once

/// \file Cells of text as those of a type.

#include "model/rows/column_builder.hpp"

#include <string_view>

namespace keyswap::model {

/// Adds a cell. \return false if the text is none of the builder's type
[[nodiscard]] bool add_parsed(ColumnBuilder& builder, std::string_view text);

/// What the cells of a column can be, as they are seen one by one.
class TypeGuess {
  public:
    /// \pre no null
    void see(std::string_view cell);
    /// The first that all cells are of: numbers before text; null if there were none.
    [[nodiscard]] CellType best() const;

  private:
    static constexpr std::size_t candidate_count = 8;
    unsigned possible_ = (1U << candidate_count) - 1;
    bool seen_ = false;
};

} // namespace keyswap::model
