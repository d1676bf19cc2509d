#include "model/keys/key_text.hpp"

#include "model/keys/key_order.hpp"
#include "model/keys/wide_text.hpp"
#include "model/keys/wrong_key.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>

namespace keyswap::model {

namespace {

constexpr std::size_t shown_size_max = 40; ///< characters of a malformed row shown in messages

template <class T>
std::string text_of(T key) {
    using model::to_chars;
    using std::to_chars;
    std::array<char, 48> digits{};
    return {digits.data(), to_chars(digits.data(), digits.data() + digits.size(), key).ptr};
}

template <class T>
InputError out_of_range(std::string_view row, KeyType type) {
    std::string const problem = "'" + std::string(row.substr(0, shown_size_max)) +
                                "' is out of the range of " + std::string(to_string(type));
    if constexpr (!std::floating_point<T>) {
        bool const needs_sign = !SignedKey<T> && row.starts_with('-');
        return {"",
                problem + " (" + text_of(std::numeric_limits<T>::min()) + " to " +
                    text_of(std::numeric_limits<T>::max()) + ")",
                needs_sign                     ? "choose a signed " + setting("type")
                : sizeof(T) == sizeof(uint128) ? "no key type has more bits"
                                               : "choose a wider " + setting("type")};
    } else {
        return {"",
                problem,
                sizeof(T) == sizeof(double)
                    ? "write it as inf or 0"
                    : "choose " + setting("type", "f64") + ", or write it as inf or 0"};
    }
}

std::string_view without_quotes(std::string_view text) {
    for (char const mark : {'"', '\''}) {
        if (text.size() > 1 && text.front() == mark && text.back() == mark) {
            return text.substr(1, text.size() - 2);
        }
    }
    return text;
}

bool is_ascii_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

/// A non-ASCII first character may be a sign, such as a Unicode minus, rather than a letter; it
/// counts as a letter only if the name has no digits.
bool begins_with_letter(std::string_view name) {
    bool const foreign = !name.empty() && static_cast<unsigned char>(name.front()) >= 0x80;
    return !name.empty() &&
           (is_ascii_letter(name.front()) || name.front() == '_' ||
            (foreign && name.find_first_of("0123456789") == std::string_view::npos));
}

} // namespace

std::string_view without_blanks(std::string_view text) {
    constexpr std::string_view blanks = " \t\r";
    std::size_t const begin = text.find_first_not_of(blanks);
    if (begin == std::string_view::npos) {
        return {};
    }
    return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

Expected<std::optional<std::string>> header_of(std::string_view row, KeyType type) {
    std::string_view const text = without_blanks(row);
    std::array<std::byte, sizeof(uint128)> key{};
    bool const begins_as_number = text.empty() || text.find_first_of("0123456789+-.,;") == 0;
    if (begins_as_number || parse_key(text, type, std::span(key).first(key_size_bytes(type)))) {
        return std::nullopt;
    }
    bool const has_controls = std::ranges::any_of(
        text, [](char letter) { return letter >= 0 && letter < ' ' && letter != '\t'; });
    if (text.find('\t') != std::string_view::npos && !has_controls) {
        return tl::unexpected(wrong_key(text, type));
    }
    if (printable_text(text) != text) {
        std::string const shown = "'" + std::string(text.substr(0, shown_size_max)) + "'";
        if (!has_controls) {
            return input_error(
                "", shown + " is not UTF-8", "convert the file: iconv -f WINDOWS-1252 -t UTF-8");
        }
        return tl::unexpected(
            InputError{"",
                       shown + " contains characters that do not occur in text",
                       "check that the file is CSV, not compressed, and that its rows end in \\n"});
    }
    std::string_view const name = without_quotes(text);
    if (!begins_with_letter(name) || is_value_with_letters(name, type)) {
        return input_error("",
                           "'" + std::string(text.substr(0, shown_size_max)) +
                               "' is neither a key of type " + std::string(to_string(type)) +
                               " nor a header, which begins with a letter",
                           wrong_key(text, type).remedy);
    }
    return std::string(name);
}

Expected<void> parse_key(std::string_view row, KeyType type, std::span<std::byte> key) {
    KEYSWAP_EXPECTS(key.size() == key_size_bytes(type));
    std::string_view const text = without_blanks(row);
    bool const plus = text.starts_with('+') && !text.starts_with("+-");
    char const* const begin = text.data() + (plus ? 1 : 0);
    char const* const end = text.data() + text.size();
    if (kind_of(type) == KeyKind::bytes) {
        auto const bytes = parse_bytes(text);
        if (!bytes) {
            return tl::unexpected(wrong_key(text, type));
        }
        std::memcpy(key.data(), &*bytes, sizeof(*bytes));
        return {};
    }
    return with_key_type(type, [&]<class T>(T value) -> Expected<void> {
        using std::from_chars;
        using model::from_chars;
        auto const [stop, error] = from_chars(begin, end, value);
        if (error == std::errc::result_out_of_range && stop == end) {
            return tl::unexpected(out_of_range<T>(text, type));
        }
        bool const negative = !std::floating_point<T> && !SignedKey<T> && text.starts_with('-');
        if (negative && text.size() > 1 &&
            text.find_first_not_of("0123456789", 1) == std::string_view::npos &&
            text.find_first_not_of('0', 1) != std::string_view::npos) {
            return tl::unexpected(out_of_range<T>(text, type));
        }
        if (error != std::errc() || stop != end) {
            if constexpr (!std::floating_point<T>) {
                // R and spreadsheets write 100000 as 1e+05; pandas sometimes writes 5 as 5.0.
                auto const whole = digits_of_whole(text);
                if (whole && *whole != text) {
                    auto const parsed = parse_key(*whole, type, key);
                    return parsed ? parsed : tl::unexpected(out_of_range<T>(text, type));
                }
            }
            return tl::unexpected(wrong_key(text, type));
        }
        std::memcpy(key.data(), &value, sizeof(value));
        return {};
    });
}

void append_key(std::string& text, KeyType type, std::span<std::byte const> key) {
    KEYSWAP_EXPECTS(key.size() == key_size_bytes(type));
    with_key_type(type, [&]<class T>(T value) {
        std::memcpy(&value, key.data(), sizeof(value));
        if constexpr (std::same_as<T, uint128>) {
            text += kind_of(type) == KeyKind::bytes ? bytes_text(value) : text_of(value);
        } else {
            text += text_of(value);
        }
    });
}

std::string key_text(KeyType type, std::span<std::byte const> key) {
    std::string text;
    append_key(text, type, key);
    return text;
}

} // namespace keyswap::model
