#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace keyswap {

/// The number that all of a text is, as std::from_chars reads it; nullopt for any other text.
template <class Number>
[[nodiscard]] std::optional<Number> parsed_number(std::string_view text) {
    Number number{};
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

} // namespace keyswap
