#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace keyswap {

/// Removes and returns the first line, without its line break.
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// Splits a row at commas outside quotation marks; nullopt if quotation marks are unbalanced.
[[nodiscard]] std::optional<std::vector<std::string_view>> split_csv_row(std::string_view row);

} // namespace keyswap
