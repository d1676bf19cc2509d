#pragma once

/// \file Tables of text.

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::tools {

/// A table whose columns are as wide as they are declared; longer cells push the rest of their row
/// to the right.
class Table {
  public:
    struct Column {
        std::string name;
        int width;   ///< in letters; negative if cells stand at the left
        int gap = 0; ///< spaces before it
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// The names of the columns as a line.
    [[nodiscard]] std::string header() const;
    /// A line of texts and whole numbers, without spaces at its end. \pre a cell for each column
    [[nodiscard]] std::string row(auto const&... cells) const { return line({text_of(cells)...}); }
    /// The same of a list of texts.
    [[nodiscard]] std::string line(std::vector<std::string> const& cells) const;

  private:
    [[nodiscard]] static std::string text_of(std::integral auto number) {
        return std::to_string(number);
    }
    [[nodiscard]] static std::string text_of(std::string_view text) { return std::string(text); }

    std::vector<Column> columns_;
};

} // namespace keyswap::tools
