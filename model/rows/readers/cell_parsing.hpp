#pragma once

/// \file Parses text cells as a given type, and infers types from text.

#include "model/rows/table/column_builder.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace keyswap::model {

/// Parses and appends a cell; blanks around values other than text are ignored. \return false if
/// the text is not of the builder's type
[[nodiscard]] bool add_parsed(ColumnBuilder& builder, std::string_view text);

/// Infers the type of a column from its cells, seen one at a time.
class TypeGuess {
  public:
    /// \pre the cell is not null
    void see(std::string_view cell);
    /// The most specific type of all cells seen, numbers before text; null if there were none.
    /// Numbers are decimal if float64 would round one, as identifiers of 20 digits or amounts
    /// of 18.
    [[nodiscard]] CellType best() const;
    /// The first number that best() would round; nullopt if it keeps all.
    [[nodiscard]] std::optional<std::string> rounded() const;

  private:
    void see_number(std::string_view cell);

    static constexpr std::size_t candidate_count = 9;
    static constexpr std::size_t precision_max = 38; ///< of a decimal of 128 bits
    std::size_t whole_digits_ = 0;                   ///< most digits before the point
    std::size_t fraction_digits_ = 0;                ///< most digits after it
    bool fits_decimal_ = true;                       ///< no exponents, and few enough digits
    std::string rounded_; ///< the first number with more digits than float64 keeps; empty if none
    unsigned possible_ = (1U << candidate_count) - 1;
    bool seen_ = false;
};

} // namespace keyswap::model
