#include "model/keys/wrong_key.hpp"

#include "model/keys/wide_text.hpp"
#include "traces/errors/error_subject.hpp"
#include "traces/errors/lower_case.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::size_t quoted_size_max = 40; ///< characters of a text shown in messages
constexpr std::string_view decimal_digits = "0123456789";

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

bool is_letter(char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
}

bool has_any(std::string_view text, std::string_view letters) {
    return text.find_first_of(letters) != std::string_view::npos;
}

bool has_only(std::string_view text, std::string_view letters) {
    return !text.empty() && text.find_first_not_of(letters) == std::string_view::npos;
}

std::string_view without_sign(std::string_view text) {
    return text.starts_with('+') || text.starts_with('-') ? text.substr(1) : text;
}

/// Spellings of a missing value in other programs.
bool is_missing_value(std::string_view text) {
    constexpr std::array<std::string_view, 12> words{"null",
                                                     "na",
                                                     "n/a",
                                                     "#n/a",
                                                     "<na>",
                                                     "nat",
                                                     "none",
                                                     "nil",
                                                     "missing",
                                                     "undefined",
                                                     "\\n",
                                                     "-"};
    return std::ranges::find(words, lower_case(text)) != words.end();
}

bool is_truth_value(std::string_view text) {
    return lower_case(text) == "true" || lower_case(text) == "false";
}

bool is_nan_or_infinity(std::string_view text) {
    std::string const word = lower_case(without_sign(text));
    return word == "nan" || word == "inf" || word == "infinity";
}

/// The number without thousands separators; nullopt unless one of these separates groups of three.
std::optional<std::string> without_thousands_separators(std::string_view text) {
    constexpr std::array<std::string_view, 7> separators{
        "'", "_", " ", ".", "\xc2\xa0", "\xe2\x80\xaf", "\xe2\x80\x99"};
    for (std::string_view const separator : separators) {
        std::string_view rest = without_sign(text);
        std::string number(text.substr(0, text.size() - rest.size()));
        std::size_t group = std::min(rest.find_first_not_of(decimal_digits), rest.size());
        std::size_t groups = 0;
        bool matches = group >= 1 && group <= 3;
        while (matches) {
            number += rest.substr(0, group);
            rest.remove_prefix(group);
            ++groups;
            if (!rest.starts_with(separator)) {
                break;
            }
            rest.remove_prefix(separator.size());
            group = std::min(rest.find_first_not_of(decimal_digits), rest.size());
            matches = group == 3;
        }
        // A single point is a decimal point.
        if (matches && rest.empty() && groups >= (separator == "." ? 3U : 2U)) {
            return number;
        }
    }
    return std::nullopt;
}

/// Dates and times: "2024-01-31", "31.01.2024", "1/31/24", "12:30", with any suffix.
bool is_date_or_time(std::string_view text) {
    std::string_view rest = text;
    std::size_t numbers = 0;
    char separator = '\0';
    while (numbers < 3) {
        std::size_t const size = std::min(rest.find_first_not_of(decimal_digits), rest.size());
        if (size < 1 || size > 4) {
            return false;
        }
        rest.remove_prefix(size);
        ++numbers;
        if (rest.empty() || !has_any(rest.substr(0, 1), "-/.:") ||
            (separator != '\0' && rest.front() != separator)) {
            break;
        }
        separator = rest.front();
        rest.remove_prefix(1);
    }
    return numbers == 3 || (numbers == 2 && separator == ':');
}

/// Dates with names: "Jan 31 2024", "Mon, 1 Jan".
bool begins_with_month_or_day(std::string_view text) {
    constexpr std::array<std::string_view, 19> names{"jan",
                                                     "feb",
                                                     "mar",
                                                     "apr",
                                                     "may",
                                                     "jun",
                                                     "jul",
                                                     "aug",
                                                     "sep",
                                                     "oct",
                                                     "nov",
                                                     "dec",
                                                     "mon",
                                                     "tue",
                                                     "wed",
                                                     "thu",
                                                     "fri",
                                                     "sat",
                                                     "sun"};
    auto const end = std::ranges::find_if_not(text, is_letter);
    auto const size = static_cast<std::size_t>(end - text.begin());
    std::string const word = lower_case(text.substr(0, size));
    bool const named = size >= 3 && std::ranges::find(names, word.substr(0, 3)) != names.end();
    std::string_view const rest = text.substr(size);
    return named && has_any(rest.substr(0, 1), " ,.-") && has_any(rest, decimal_digits);
}

/// Amounts with a currency: "EUR 5", "USD1.50".
bool is_amount_with_currency(std::string_view text) {
    constexpr std::array<std::string_view, 10> codes{
        "eur", "usd", "gbp", "jpy", "chf", "cny", "inr", "aud", "cad", "sek"};
    std::string_view rest = text.substr(std::min<std::size_t>(3, text.size()));
    bool const has_code = std::ranges::find(codes, lower_case(text.substr(0, 3))) != codes.end();
    rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
    return has_code && has_only(rest, "0123456789.,'- ") && has_any(rest, decimal_digits);
}

bool has_currency_or_percent(std::string_view text) {
    return has_any(text, "$") || text.ends_with('%') ||
           text.find("\xe2\x82\xac") != std::string_view::npos ||
           text.find("\xc2\xa3") != std::string_view::npos ||
           text.find("\xc2\xa5") != std::string_view::npos;
}

/// The code points of a UTF-8 text; invalid bytes are skipped.
std::vector<std::uint32_t> characters_of(std::string_view text) {
    std::vector<std::uint32_t> characters;
    for (char const letter : text) {
        auto const byte = static_cast<unsigned char>(letter);
        if ((byte & 0xc0U) != 0x80U) {
            characters.push_back(byte < 0x80 ? byte
                                             : byte & (byte < 0xe0   ? 0x1fU
                                                       : byte < 0xf0 ? 0x0fU
                                                                     : 0x07U));
        } else if (!characters.empty()) {
            characters.back() = characters.back() << 6 | (byte & 0x3fU);
        }
    }
    return characters;
}

/// Source: Unicode 15, general category Nd: each entry begins a run of ten digits.
bool is_digit_of_other_script(std::uint32_t character) {
    constexpr std::array<std::uint32_t, 22> zeros{
        0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66,  0x0ce6,
        0x0d66, 0x0de6, 0x0e50, 0x0ed0, 0x0f20, 0x1040, 0x17e0, 0x1810, 0xff10, 0x1d7ce, 0x1d7d8};
    return std::ranges::any_of(
        zeros, [&](std::uint32_t zero) { return character >= zero && character < zero + 10; });
}

bool has_digit_of_other_script(std::string_view text) {
    return std::ranges::any_of(characters_of(text), is_digit_of_other_script);
}

/// True for a symbol rather than a letter: from Latin-1, punctuation, currencies, numbers,
/// mathematics or full-width forms.
bool begins_with_sign_of_unicode(std::string_view text) {
    auto const characters = characters_of(text);
    std::uint32_t const first = characters.empty() ? 0 : characters.front();
    bool const latin_letter = first == 0xaa || first == 0xb5 || first == 0xba;
    return (first >= 0x80 && first < 0xc0 && !latin_letter) || first == 0xd7 || first == 0xf7 ||
           (first >= 0x2000 && first < 0x2c00) || (first >= 0x3000 && first < 0x3020) ||
           (first >= 0xff01 && first < 0xff21) || first == 0xfeff;
}

struct Reason {
    std::string problem; ///< continues "is not a valid u32 key"
    std::string remedy;
};

/// Explains numbers in an unsupported notation.
std::optional<Reason> other_notation(std::string_view text, KeyType type) {
    std::string_view const number = without_sign(text);
    std::string const start = lower_case(number.substr(0, 2));
    if (start == "0x" || start == "0b" || start == "0o") {
        return Reason{": it is not decimal", "write it in decimal digits"};
    }
    if (auto const plain = without_thousands_separators(text)) {
        return Reason{": it has thousands separators", "write it as " + *plain};
    }
    if (has_digit_of_other_script(text)) {
        return Reason{": it has non-ASCII digits", "write ASCII digits"};
    }
    if (text.find("\xe2\x88\x92") != std::string_view::npos) {
        return Reason{": its minus sign is not the ASCII one", "write '-'"};
    }
    if (is_date_or_time(number) || begins_with_month_or_day(text)) {
        return Reason{": it looks like a date or a time, and these cannot be read",
                      "write whole numbers, such as seconds since 1970 (pandas: "
                      "column.astype('int64'), i64)"};
    }
    if (text.find(".#") != std::string_view::npos) {
        return Reason{": older Windows libraries write infinity and NaN like this",
                      "write inf, -inf or nan"};
    }
    std::size_t const mark = number.find_first_of("dD");
    if (is_digit(number.front()) && mark != std::string_view::npos &&
        has_only(number.substr(mark + 1), "0123456789+-")) {
        return Reason{": Fortran writes exponents like this",
                      "write 'e' for '" + std::string(number.substr(mark, 1)) + "'"};
    }
    bool const is_decimal = has_only(number, "0123456789.eE+-") && is_digit(number.front());
    if (!is_floating(type) && is_decimal && has_any(number, ".eE")) {
        return Reason{": it is not a whole number",
                      "round the keys, or give " + setting("type", "f32") +
                          " or f64 if the keys are such numbers"};
    }
    if (text.starts_with('#') && has_any(text.substr(text.size() - 1), "!?")) {
        return Reason{": it is an error of a spreadsheet",
                      "correct it, or leave out such rows before the sort"};
    }
    if (has_currency_or_percent(text) || is_amount_with_currency(text)) {
        return Reason{": it has a currency or percent sign", "write the number alone"};
    }
    return std::nullopt;
}

Reason reason_of(std::string_view text, KeyType type) {
    constexpr std::string_view fill_in = "fill it in, or leave out such rows before the sort";
    if (text.find('\0') != std::string_view::npos) {
        return {": it has NUL bytes", "save the file as text of UTF-8"};
    }
    if (is_missing_value(text)) {
        return {": it denotes a missing value", std::string(fill_in)};
    }
    if (is_nan_or_infinity(text)) {
        return {": whole numbers have neither NaN nor infinity",
                "give " + setting("type", "f32") +
                    " or f64, or leave out such rows before the sort"};
    }
    if (is_truth_value(text)) {
        return {": it is a Boolean", "write 0 and 1"};
    }
    bool const begins_quoted = has_any(text.substr(0, 1), "'\"");
    if (begins_quoted && std::ranges::count(text, text.front()) == 1) {
        return {": its quotation mark is not closed in the same row", "write each row in a line"};
    }
    if (begins_quoted && text.size() > 1 && text.back() == text.front()) {
        return {": it is in quotation marks", "write it without them, or as CSV has them: \"5\""};
    }
    if (parse_bytes(text)) {
        return {": it has 16 bytes", "give " + setting("type", "b128")};
    }
    if (auto reason = other_notation(text, type)) {
        return *reason;
    }
    if (std::ranges::any_of(text, is_letter)) {
        return {"",
                "keys are numbers or, with " + setting("type", "b128") +
                    ", 16 bytes; map texts to numbers before the sort "
                    "(pandas: factorize(column, sort=True)[0])"};
    }
    bool const is_ascii = std::ranges::all_of(
        text, [](char letter) { return static_cast<unsigned char>(letter) < 0x80; });
    return {is_ascii ? "" : ": it has characters that are not in ASCII",
            "write one number per row, in ASCII digits"};
}

/// Explains a row with several cells; `nullopt` if it has no separator.
std::optional<InputError> several_cells(std::string_view text, std::string const& shown) {
    std::string const name_column =
        "name a column with " + setting("column") + " (sort, plan and check take it)";
    if (has_any(text, "\t")) {
        return InputError{"", shown + " has more than one column", name_column};
    }
    if (has_any(text, ",;")) {
        return InputError{"",
                          shown + " has more than one column, or a comma within a number",
                          name_column +
                              "; write numbers with a decimal point and without thousands "
                              "separators"};
    }
    if (has_any(text, "|")) {
        return InputError{"",
                          shown + " has cells between '|', which cannot be read",
                          "separate them by commas, semicolons or tabulators: tr '|' '\\t'"};
    }
    return std::nullopt;
}

} // namespace

InputError wrong_key(std::string_view text, KeyType type, KeyExtent extent) {
    if (text.empty()) {
        return {"",
                "is empty, and a missing value is not a key",
                "fill it in, or leave out such rows before the sort"};
    }
    std::string const shown = "'" + printable_text(text.substr(0, quoted_size_max)) + "'";
    if (text.find('\r') != std::string_view::npos) {
        return {"",
                shown + " has a CR inside: its rows end in CR alone",
                "end rows in LF: tr '\\r' '\\n'"};
    }
    bool const is_number = has_only(without_sign(text), "0123456789.,");
    if (kind_of(type) != KeyKind::bytes && extent == KeyExtent::cell && is_number &&
        has_any(text, ",")) {
        return {"",
                shown + " has a comma, which may be a decimal one or a thousands separator",
                "write numbers with a decimal point and without thousands separators"};
    }
    if (extent == KeyExtent::row) {
        if (auto several = several_cells(text, shown)) {
            return *several;
        }
    }
    std::string const problem = shown + " is not a valid " + std::string(to_string(type)) + " key";
    if (kind_of(type) == KeyKind::bytes && text.find('\0') == std::string_view::npos) {
        std::string const zone = text.find('%') == std::string_view::npos ? "" : " without a zone";
        return {"",
                problem,
                "write 16 bytes as 32 hexadecimal digits, a UUID or an IPv6 address" + zone};
    }
    Reason const reason = reason_of(text, type);
    return {"", problem + reason.problem, reason.remedy};
}

std::optional<std::string> digits_of_whole(std::string_view text) {
    constexpr int exponent_max = 1000; // no key type has that many digits
    std::string_view const number = without_sign(text);
    std::size_t const mark = std::min(number.find_first_of("eE"), number.size());
    std::string_view const mantissa = number.substr(0, mark);
    std::size_t const point = std::min(mantissa.find('.'), mantissa.size());
    std::string whole(mantissa.substr(0, point));
    std::string_view const fraction = mantissa.substr(std::min(point + 1, mantissa.size()));
    whole += fraction;
    std::string_view exponent_text = mark < number.size() ? number.substr(mark + 1) : "0";
    exponent_text.remove_prefix(exponent_text.starts_with('+') ? 1 : 0);
    auto const exponent = parsed_number<int>(exponent_text);
    if (!exponent || !is_digit(exponent_text.back()) || point == 0 ||
        !has_only(whole, decimal_digits) || *exponent > exponent_max || *exponent < -exponent_max) {
        return std::nullopt;
    }
    auto const shift = *exponent - static_cast<std::int64_t>(fraction.size());
    if (shift >= 0) {
        whole.append(static_cast<std::size_t>(shift), '0');
    } else {
        std::size_t const gone = std::min(static_cast<std::size_t>(-shift), whole.size());
        if (has_any(std::string_view(whole).substr(whole.size() - gone), "123456789")) {
            return std::nullopt;
        }
        whole.resize(whole.size() - gone);
    }
    whole.erase(0, std::min(whole.find_first_not_of('0'), whole.size()));
    bool const negative = text.starts_with('-') && !whole.empty();
    return (negative ? "-" : "") + (whole.empty() ? "0" : whole);
}

bool is_value_with_letters(std::string_view text, KeyType type) {
    if (is_missing_value(text) || is_nan_or_infinity(text) || is_truth_value(text) ||
        begins_with_month_or_day(text) || is_amount_with_currency(text) || has_any(text, "'\"") ||
        has_digit_of_other_script(text) || begins_with_sign_of_unicode(text)) {
        return true;
    }
    std::size_t const open = text.find('(');
    if (text.ends_with(')') && open != std::string_view::npos &&
        has_only(text.substr(open + 1, text.size() - open - 2), "0123456789.+-eE")) {
        return true; // "np.int64(5)"
    }
    constexpr std::size_t hex_name_max = 8; // "cafe1234" may be a name
    bool const is_hex =
        has_only(text, "0123456789abcdefABCDEF-{}") && has_any(text, decimal_digits);
    return kind_of(type) == KeyKind::bytes &&
           (has_any(text, ":%") || (is_hex && text.size() > hex_name_max));
}

} // namespace keyswap::model
