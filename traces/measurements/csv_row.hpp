#pragma once

#include "traces/errors/input_error.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap {

/// Removes and returns the first line, without its line break and byte order mark.
[[nodiscard]] std::string_view take_line(std::string_view& text);

/// Splits a row at commas outside quotation marks; nullopt if quotation marks are unbalanced.
[[nodiscard]] std::optional<std::vector<std::string_view>> split_csv_row(std::string_view row);

/// The error for text of UTF-16, with a byte order mark or one zero byte in each pair; else
/// nullopt.
[[nodiscard]] std::optional<InputError> utf16_error(std::string_view text, std::string const& name);

/// Explains why a file has none of the expected columns: it is text of UTF-16, its lines end in CR
/// alone, or other characters than commas separate its columns; nullopt if none of these.
/// \param text beginning of the file, with its first line
/// \param name file name, for the error
[[nodiscard]] std::optional<InputError> find_csv_error(std::string_view text,
                                                       std::string const& name);

} // namespace keyswap
