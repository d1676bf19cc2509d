#pragma once

/// \file Text tables.

#include <concepts>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::tools {

/// A table with fixed column widths; a cell longer than its column shifts the rest of its row to
/// the right.
class Table {
  public:
    struct Column {
        std::string name;
        int width;   ///< in characters; negative: left-aligned
        int gap = 0; ///< spaces before the column
    };

    explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

    /// The line of column names.
    [[nodiscard]] std::string header() const;
    /// A line of strings and integers, without trailing spaces. \pre one cell per column
    [[nodiscard]] std::string row(auto const&... cells) const { return line({text_of(cells)...}); }
    /// Like row(), from a list of strings.
    [[nodiscard]] std::string line(std::vector<std::string> const& cells) const;

  private:
    [[nodiscard]] static std::string text_of(std::integral auto number) {
        return std::to_string(number);
    }
    [[nodiscard]] static std::string text_of(std::string_view text) { return std::string(text); }

    std::vector<Column> columns_;
};

} // namespace keyswap::tools
