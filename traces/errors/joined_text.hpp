#pragma once

#include <concepts>
#include <functional>
#include <ranges>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

namespace keyswap {

/// The elements of a range with a separator between them: "0, 2, 5".
/// \param text_of maps an element to its text or an integer; the identity by default
template <std::ranges::input_range Range, class TextOf = std::identity>
[[nodiscard]] std::string
joined_text(Range&& range, std::string_view separator, TextOf text_of = {}) {
    std::string text;
    for (auto&& element : range) {
        auto&& part = std::invoke(text_of, element);
        text += text.empty() ? std::string_view() : separator;
        if constexpr (std::integral<std::remove_cvref_t<decltype(part)>>) {
            text += std::to_string(part);
        } else {
            text += part;
        }
    }
    return text;
}

} // namespace keyswap
