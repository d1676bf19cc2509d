#pragma once

/// \file Parses text cells as a given type, and infers types from text.

#include "model/rows/column_builder.hpp"

#include <string_view>

namespace keyswap::model {

/// Parses and appends a cell. \return false if the text is not of the builder's type
[[nodiscard]] bool add_parsed(ColumnBuilder& builder, std::string_view text);

/// Infers the type of a column from its cells, seen one at a time.
class TypeGuess {
  public:
    /// \pre the cell is not null
    void see(std::string_view cell);
    /// The most specific type of all cells seen, numbers before text; null if there were none.
    [[nodiscard]] CellType best() const;

  private:
    static constexpr std::size_t candidate_count = 8;
    unsigned possible_ = (1U << candidate_count) - 1;
    bool seen_ = false;
};

} // namespace keyswap::model
