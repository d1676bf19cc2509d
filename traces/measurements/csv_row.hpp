#pragma once

#include <optional>
#include <string_view>
#include <vector>

namespace keyswap {

/// The first line without its end, which is cut off the text.
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// Cuts a row at the commas that stand outside quotation marks; nothing where quotes do not match.
[[nodiscard]] std::optional<std::vector<std::string_view>> split_csv_row(std::string_view row);

} // namespace keyswap
