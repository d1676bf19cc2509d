#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace keyswap {

/// Parses the whole text with std::from_chars; nullopt on trailing characters or overflow.
template <class Number>
[[nodiscard]] std::optional<Number> parsed_number(std::string_view text) {
    Number number{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

} // namespace keyswap
