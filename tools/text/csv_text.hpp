#pragma once

/// \file CSV (RFC 4180), for every option that writes it.

#include <concepts>
#include <string>
#include <vector>

namespace keyswap::tools {

class CsvText {
  public:
    explicit CsvText(std::vector<std::string> const& columns) { line(columns); }

    /// Appends a line of strings and numbers; floating-point numbers have six digits.
    void row(auto const&... cells) { line({text_of(cells)...}); }
    void line(std::vector<std::string> const& cells);
    [[nodiscard]] std::string const& text() const { return text_; }

  private:
    [[nodiscard]] static std::string text_of(std::integral auto number) {
        return std::to_string(number);
    }
    [[nodiscard]] static std::string text_of(double number);
    [[nodiscard]] static std::string text_of(std::string text) { return text; }

    std::string text_;
};

} // namespace keyswap::tools
