#include "model/rows/readers/cell_parsing.hpp"

#include "model/keys/key_text.hpp"
#include "model/rows/table/cell.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/utf8.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

namespace keyswap::model {

namespace {

/// Candidate types, most specific first.
std::array<CellType, 9> const guessed_types{
    CellType{CellKind::boolean},
    CellType{CellKind::signed_integer, 8},
    CellType{CellKind::unsigned_integer, 8},
    CellType{CellKind::floating, 8},
    CellType{CellKind::date, 4},
    CellType{CellKind::timestamp, 8, TimeUnit::microseconds},
    CellType{CellKind::timestamp, 8, TimeUnit::nanoseconds},
    CellType{CellKind::utf8},
    CellType{CellKind::binary}};

template <class T>
std::optional<T> whole_number(std::string_view text) {
    bool const plus = text.starts_with('+') && !text.starts_with("+-");
    return parsed_number<T>(text.substr(plus ? 1 : 0));
}

bool add_integer(ColumnBuilder& builder, std::string_view text) {
    auto const bits = static_cast<int>(8 * builder.type().size_bytes);
    if (builder.type().kind == CellKind::unsigned_integer) {
        auto const number = whole_number<std::uint64_t>(text);
        if (!number || (bits < 64 && *number >> bits != 0)) {
            return false;
        }
        builder.add_word(*number);
        return true;
    }
    auto const number = whole_number<std::int64_t>(text);
    std::int64_t const most = std::numeric_limits<std::int64_t>::max() >> (64 - bits);
    if (!number || *number > most || *number < -most - 1) {
        return false;
    }
    builder.add_word(static_cast<std::uint64_t>(*number));
    return true;
}

bool add_float(ColumnBuilder& builder, std::string_view text) {
    if (builder.type().size_bytes == sizeof(double)) {
        double number = 0;
        if (!parse_key(text, KeyType::f64, std::as_writable_bytes(std::span(&number, 1)))) {
            return false;
        }
        builder.add_word(std::bit_cast<std::uint64_t>(number));
        return true;
    }
    float number = 0;
    if (builder.type().size_bytes != sizeof(float) ||
        !parse_key(text, KeyType::f32, std::as_writable_bytes(std::span(&number, 1)))) {
        return false;
    }
    builder.add_word(std::bit_cast<std::uint32_t>(number));
    return true;
}

/// Consumes exactly this many digits.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t count) {
    unsigned number = 0;
    if (text.size() < count) {
        return std::nullopt;
    }
    for (std::size_t i = 0; i < count; ++i) {
        if (text[i] < '0' || text[i] > '9') {
            return std::nullopt;
        }
        number = number * 10 + static_cast<unsigned>(text[i] - '0');
    }
    text.remove_prefix(count);
    return number;
}

bool take(std::string_view& text, char letter) {
    bool const found = text.starts_with(letter);
    text.remove_prefix(found ? 1 : 0);
    return found;
}

/// Parses "2024-02-29".
std::optional<std::int64_t> take_date(std::string_view& text) {
    auto const year = take_digits(text, 4);
    if (!year || !take(text, '-')) {
        return std::nullopt;
    }
    auto const month = take_digits(text, 2);
    if (!month || !take(text, '-')) {
        return std::nullopt;
    }
    auto const day = take_digits(text, 2);
    if (!day || *month < 1 || *month > 12 || *day < 1) {
        return std::nullopt;
    }
    auto const next = *month == 12 ? days_of_date(std::int64_t{*year} + 1, 1, 1)
                                   : days_of_date(*year, *month + 1, 1);
    std::int64_t const days = days_of_date(*year, *month, *day);
    return days < next ? std::optional(days) : std::nullopt;
}

bool add_date(ColumnBuilder& builder, std::string_view text) {
    auto const days = take_date(text);
    if (!days || !text.empty()) {
        return false;
    }
    std::int64_t const word = builder.type().size_bytes == 8 ? *days * ms_per_day : *days;
    builder.add_word(static_cast<std::uint64_t>(word));
    return true;
}

/// Parses "+01:00", "Z" or nothing as seconds east of UTC.
std::optional<std::int64_t> take_offset(std::string_view& text) {
    if (text.empty() || take(text, 'Z')) {
        return 0;
    }
    bool const east = take(text, '+');
    if (!east && !take(text, '-')) {
        return std::nullopt;
    }
    auto const hours = take_digits(text, 2);
    take(text, ':');
    auto const minutes = text.empty() ? std::optional(0U) : take_digits(text, 2);
    if (!hours || !minutes || *hours > 23 || *minutes > 59) {
        return std::nullopt;
    }
    std::int64_t const seconds = std::int64_t{*hours} * 3600 + std::int64_t{*minutes} * 60;
    return east ? seconds : -seconds;
}

/// Fractional digits of a second, in units; nullopt if they need a finer unit.
std::optional<std::int64_t> take_fraction(std::string_view& text, std::int64_t per_second) {
    std::int64_t fraction = 0;
    std::int64_t unit = per_second;
    while (!text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
        std::int64_t const digit = text.front() - '0';
        if (unit < 10 && digit != 0) {
            return std::nullopt;
        }
        unit /= 10;
        fraction += digit * unit;
        text.remove_prefix(1);
    }
    return fraction;
}

/// Parses "2024-02-29 12:34:56.5+01:00"; everything after the date is optional.
bool add_timestamp(ColumnBuilder& builder, std::string_view text) {
    auto const days = take_date(text);
    if (!days) {
        return false;
    }
    std::int64_t const per_second = units_per_second(builder.type().unit);
    std::int64_t seconds = *days * 86'400;
    std::int64_t fraction = 0;
    if (!text.empty()) {
        if (!take(text, ' ') && !take(text, 'T')) {
            return false;
        }
        auto const hour = take_digits(text, 2);
        bool const has_minute = take(text, ':');
        auto const minute = take_digits(text, 2);
        auto const second = take(text, ':') ? take_digits(text, 2) : std::optional(0U);
        if (!hour || !has_minute || !minute || !second || *hour > 23 || *minute > 59 ||
            *second > 59) {
            return false;
        }
        seconds += std::int64_t{*hour} * 3600 + std::int64_t{*minute} * 60 + *second;
        if (take(text, '.')) {
            auto const taken = take_fraction(text, per_second);
            if (!taken) {
                return false;
            }
            fraction = *taken;
        }
        auto const offset = take_offset(text);
        if (!offset || !text.empty()) {
            return false;
        }
        seconds -= *offset;
    }
    int128 const value = int128{seconds} * per_second + fraction;
    if (value < std::numeric_limits<std::int64_t>::min() ||
        value > std::numeric_limits<std::int64_t>::max()) {
        return false;
    }
    builder.add_word(static_cast<std::uint64_t>(value));
    return true;
}

bool add_decimal(ColumnBuilder& builder, std::string_view text) {
    bool const negative = take(text, '-');
    if (!negative) {
        take(text, '+');
    }
    int128 value = 0;
    int digits = 0; ///< significant digits
    int fraction = -1;
    bool any = false;
    for (char const letter : text) {
        if (letter == '.' && fraction < 0) {
            fraction = 0;
            continue;
        }
        if (letter < '0' || letter > '9') {
            return false;
        }
        any = true;
        if (fraction >= 0 && fraction == builder.type().scale) {
            if (letter != '0') {
                return false; // exceeds the type's precision
            }
            continue;
        }
        fraction += fraction >= 0 ? 1 : 0;
        digits += digits > 0 || letter != '0' ? 1 : 0;
        if (digits > builder.type().precision) {
            return false;
        }
        value = value * 10 + (letter - '0');
    }
    for (int i = std::max(fraction, 0); i < builder.type().scale; ++i) {
        digits += digits > 0 ? 1 : 0;
        if (digits > builder.type().precision) {
            return false;
        }
        value *= 10;
    }
    if (any) {
        builder.add_decimal(negative ? -value : value);
    }
    return any;
}

bool add_boolean(ColumnBuilder& builder, std::string_view text) {
    constexpr std::array<std::string_view, 5> yes{"true", "True", "TRUE", "t", "1"};
    constexpr std::array<std::string_view, 5> no{"false", "False", "FALSE", "f", "0"};
    bool const is_true = std::find(yes.begin(), yes.end(), text) != yes.end();
    if (!is_true && std::find(no.begin(), no.end(), text) == no.end()) {
        return false;
    }
    builder.add_word(is_true ? 1 : 0);
    return true;
}

/// A number without an exponent, as text.
struct PlainNumber {
    std::string_view whole; ///< without sign and leading zeros
    std::optional<std::string_view> fraction;
};

std::optional<PlainNumber> plain_number(std::string_view text) {
    text = without_blanks(text);
    text.remove_prefix(text.starts_with('-') || text.starts_with('+') ? 1 : 0);
    auto const has_digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    std::size_t const point = text.find('.');
    PlainNumber number{text.substr(0, point), std::nullopt};
    if (point != std::string_view::npos) {
        number.fraction = text.substr(point + 1);
    }
    if (!has_digits(number.whole) || (number.fraction && !has_digits(*number.fraction))) {
        return std::nullopt;
    }
    number.whole.remove_prefix(std::min(number.whole.find_first_not_of('0'), number.whole.size()));
    return number;
}

/// True if the nearest double, written with the same digits after the point, is another number. So
/// 0.1 is kept, although no double has its value.
bool is_rounded(PlainNumber const& number) {
    std::string_view const fraction = number.fraction.value_or("");
    if (number.whole.size() + fraction.size() <= std::numeric_limits<double>::digits10) {
        return false;
    }
    std::string text(number.whole.empty() ? "0" : number.whole);
    text += fraction.empty() ? "" : "." + std::string(fraction);
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    std::string kept(text.size() + 1, '\0'); // rounding up may add a digit
    auto const end = std::to_chars(kept.data(),
                                   kept.data() + kept.size(),
                                   value,
                                   std::chars_format::fixed,
                                   static_cast<int>(fraction.size()))
                         .ptr;
    return std::string_view(kept.data(), static_cast<std::size_t>(end - kept.data())) != text;
}

/// True for numbers with leading zeros, which are codes rather than numbers: "007".
bool is_code(std::string_view text) {
    text = without_blanks(text);
    text.remove_prefix(text.starts_with('-') ? 1 : 0);
    return text.size() > 1 && text[0] == '0' &&
           std::isdigit(static_cast<unsigned char>(text[1])) != 0;
}

} // namespace

bool add_parsed(ColumnBuilder& builder, std::string_view text) {
    if (!builder.type().is_sequence()) {
        text = without_blanks(text);
    }
    switch (builder.type().kind) {
    case CellKind::null:
        return false;
    case CellKind::boolean:
        return add_boolean(builder, text);
    case CellKind::signed_integer:
    case CellKind::unsigned_integer:
        return add_integer(builder, text);
    case CellKind::floating:
        return add_float(builder, text);
    case CellKind::decimal:
        return add_decimal(builder, text);
    case CellKind::date:
        return add_date(builder, text);
    case CellKind::timestamp:
        return add_timestamp(builder, text);
    case CellKind::utf8:
        if (!is_utf8(text)) {
            return false;
        }
        break;
    case CellKind::binary:
        break;
    }
    builder.add_sequence(text);
    return true;
}

void TypeGuess::see(std::string_view cell) {
    seen_ = true;
    see_number(cell);
    constexpr std::size_t text_candidate = 7;
    for (std::size_t i = 0; i < candidate_count; ++i) {
        if ((possible_ >> i & 1U) == 0) {
            continue;
        }
        CellType const& type = guessed_types[i];
        bool possible = i >= text_candidate || !is_code(cell);
        if (type.kind == CellKind::boolean) {
            possible = cell.size() > 1; // 0 and 1 are numbers, not booleans
        }
        if (possible && type.is_sequence()) {
            possible = type.kind == CellKind::binary || is_utf8(cell);
        } else if (possible) {
            ColumnBuilder trial(type);
            possible = add_parsed(trial, cell);
        }
        if (!possible) {
            possible_ &= ~(1U << i);
        }
    }
}

void TypeGuess::see_number(std::string_view cell) {
    auto const number = plain_number(cell);
    std::size_t const digits = number ? number->whole.size() : 0;
    std::size_t const fraction = number ? number->fraction.value_or("").size() : 0;
    whole_digits_ = std::max(whole_digits_, digits);
    fraction_digits_ = std::max(fraction_digits_, fraction);
    fits_decimal_ = fits_decimal_ && number && whole_digits_ + fraction_digits_ <= precision_max;
    if (rounded_.empty() && number && is_rounded(*number)) {
        rounded_ = cell;
    }
}

CellType TypeGuess::best() const {
    for (std::size_t i = 0; i < candidate_count && seen_; ++i) {
        if ((possible_ >> i & 1U) == 0) {
            continue;
        }
        if (guessed_types[i].kind == CellKind::floating && !rounded_.empty() && fits_decimal_) {
            CellType type{CellKind::decimal, sizeof(int128)};
            type.precision = static_cast<int>(precision_max);
            type.scale = static_cast<int>(fraction_digits_);
            return type;
        }
        return guessed_types[i];
    }
    return {};
}

std::optional<std::string> TypeGuess::rounded() const {
    return best().kind == CellKind::floating && !rounded_.empty() ? std::optional(rounded_)
                                                                  : std::nullopt;
}

} // namespace keyswap::model
