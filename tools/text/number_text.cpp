#include "tools/text/number_text.hpp"

#include "traces/errors/grouped_count.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <limits>
#include <optional>

namespace keyswap::tools {

namespace {

/// Wide enough for every product below: a 64-bit mantissa times at most 1024^6 = 2^60.
__extension__ typedef unsigned __int128 Wide; // NOLINT(modernize-use-using): pedantic otherwise

constexpr int digits_max =
    40; ///< more digits than any 64-bit number needs, including trailing zeros
constexpr int exponent_max = 60; ///< larger exponents only allow zero; bounds the loops below

/// An exact decimal number: digits * 10^exponent.
struct Decimal {
    Wide digits = 0;
    int exponent = 0;
};

/// The suffix of a number, as the factor base^power.
struct Suffix {
    std::uint64_t base = 1000;
    int power = 0;
};

bool is_digit(char letter) {
    return letter >= '0' && letter <= '9';
}

/// Moves leading digits of `text` to `digits`. An underscore may separate two digits. Returns false
/// if there are no digits or an underscore is misplaced.
bool take_digits(std::string_view& text, std::string& digits) {
    std::size_t at = 0;
    while (at < text.size()) {
        bool const separates =
            text[at] == '_' && at > 0 && at + 1 < text.size() && is_digit(text[at + 1]);
        if (is_digit(text[at])) {
            digits += text[at];
        } else if (!separates) {
            break;
        }
        ++at;
    }
    text.remove_prefix(at);
    return at > 0;
}

/// Parses "1_000", "1.5", "2e9", "1.5E-3"; leaves the rest in `text`.
std::optional<Decimal> take_decimal(std::string_view& text) {
    std::string digits;
    if (!take_digits(text, digits)) {
        return std::nullopt;
    }
    Decimal decimal;
    if (text.starts_with('.')) {
        text.remove_prefix(1);
        std::size_t const whole_digits = digits.size();
        if (!take_digits(text, digits)) {
            return std::nullopt;
        }
        decimal.exponent = -static_cast<int>(digits.size() - whole_digits);
    }
    bool const has_exponent = text.size() > 1 && (text[0] == 'e' || text[0] == 'E') &&
                              (is_digit(text[1]) || text[1] == '-' || text[1] == '+');
    if (has_exponent) {
        text.remove_prefix(1);
        int const sign = text.starts_with('-') ? -1 : 1;
        text.remove_prefix(is_digit(text[0]) ? 0 : 1);
        std::string exponent;
        if (!take_digits(text, exponent) || exponent.size() > 4) {
            return std::nullopt;
        }
        decimal.exponent += sign * std::stoi(exponent);
    }
    while (digits.size() > 1 && digits.back() == '0') {
        digits.pop_back();
        ++decimal.exponent;
    }
    digits.erase(0, digits.find_first_not_of('0'));
    if (digits.size() > digits_max) {
        bool const has_fraction = decimal.exponent < 0;
        return Decimal{1, has_fraction ? -1 : exponent_max + 1};
    }
    for (char const digit : digits) {
        decimal.digits = decimal.digits * 10 + static_cast<Wide>(digit - '0');
    }
    return decimal;
}

std::optional<Suffix> parse_suffix(std::string_view text) {
    if (text.empty()) {
        return Suffix{};
    }
    constexpr std::string_view letters = "kMGTPE";
    char const letter = text[0] == 'K' ? 'k' : text[0];
    auto const place = letters.find(letter);
    bool const binary = text.size() == 2 && text[1] == 'i';
    if (place == std::string_view::npos || (text.size() > 1 && !binary)) {
        return std::nullopt;
    }
    return Suffix{binary ? 1024U : 1000U, static_cast<int>(place) + 1};
}

enum class Fault { too_large, not_whole };

/// digits * 10^exponent * base^power. Alternates multiplication and division, so that it overflows
/// only if the result does: negative powers of ten are divided out as soon as possible.
tl::expected<std::uint64_t, Fault> scale(Decimal decimal, Suffix suffix) {
    constexpr Wide wide_max = ~Wide{0};
    Wide value = decimal.digits;
    if (value == 0) {
        return 0;
    }
    if (decimal.exponent > exponent_max) {
        return tl::unexpected(Fault::too_large);
    }
    int tens_to_divide = decimal.exponent < 0 ? -decimal.exponent : 0;
    for (int i = 0; i < suffix.power; ++i) {
        if (value > wide_max / suffix.base) {
            return tl::unexpected(Fault::too_large);
        }
        value *= suffix.base;
        while (tens_to_divide > 0 && value % 10 == 0) {
            value /= 10;
            --tens_to_divide;
        }
    }
    for (; tens_to_divide > 0; --tens_to_divide) {
        if (value % 10 != 0) {
            return tl::unexpected(Fault::not_whole);
        }
        value /= 10;
    }
    for (int i = 0; i < decimal.exponent; ++i) {
        if (value > std::numeric_limits<std::uint64_t>::max()) {
            return tl::unexpected(Fault::too_large);
        }
        value *= 10;
    }
    if (value > std::numeric_limits<std::uint64_t>::max()) {
        return tl::unexpected(Fault::too_large);
    }
    return static_cast<std::uint64_t>(value);
}

tl::unexpected<InputError> refused(std::string_view text,
                                   std::string_view subject,
                                   std::string_view problem,
                                   std::string remedy) {
    return input_error(std::string(subject),
                       "'" + std::string(text) + "' " + std::string(problem),
                       std::move(remedy));
}

/// Longer times are printed in seconds.
constexpr double seconds_from_ms = 9999.5;

} // namespace

Expected<std::uint64_t> parse_count(std::string_view text, std::string_view subject) {
    if (text.starts_with('-')) {
        return refused(text, subject, "is negative", "write a number from 0 on");
    }
    std::string_view rest = text;
    auto const decimal = take_decimal(rest);
    auto const suffix = parse_suffix(rest);
    if (!decimal || !suffix) {
        return refused(
            text, subject, "is not a number", "write 2000000000, 2e9, 2G, 2Gi or 2_000_000_000");
    }
    auto const scaled = scale(*decimal, *suffix);
    if (scaled) {
        return *scaled;
    }
    return scaled.error() == Fault::too_large
               ? refused(text, subject, "does not fit", "write at most 18446744073709551615")
               : refused(
                     text, subject, "is not a whole number", "write a count without a fraction");
}

std::string printed(char const* format, double number) {
    std::array<char, 64> text{};
    std::snprintf(text.data(), text.size(), format, number);
    return text.data();
}

std::string formatted(char const* format, ...) {
    std::va_list arguments;
    va_start(arguments, format);
    std::va_list again;
    va_copy(again, arguments);
    int const length = std::vsnprintf(nullptr, 0, format, arguments);
    va_end(arguments);
    std::string text(static_cast<std::size_t>(std::max(length, 0)), ' ');
    std::vsnprintf(text.data(), text.size() + 1, format, again);
    va_end(again);
    return text;
}

std::string hash_text(std::uint64_t hash) {
    return formatted("%016llx", static_cast<unsigned long long>(hash));
}

std::string rate_text(std::uint64_t key_count, std::uint64_t element_bytes, double ms) {
    if (!(ms > 0.0)) {
        return "";
    }
    double const keys_per_s = static_cast<double>(key_count) / ms * 1e3;
    double const GBps = keys_per_s * static_cast<double>(element_bytes) / 1e9;
    bool const billions = keys_per_s >= 1e9;
    auto const short_text = [](double number) { // %g switches to an exponent here
        return number < 999.5 ? printed("%.3g", number) : printed("%.0f", number);
    };
    return short_text(keys_per_s / (billions ? 1e9 : 1e6)) +
           (billions ? " billion keys/s, " : " million keys/s, ") + short_text(GBps) + " GB/s";
}

std::string duration_text(double ms) {
    return ms < seconds_from_ms ? printed("%.4g ms", ms) : printed("%.4g s", ms / 1e3);
}

std::string significant_text(double number, int digits) {
    // From 999.5 on, three digits would be printed as "1e+03".
    return std::abs(number) >= std::pow(10.0, digits) - 0.5 ? printed("%.0f", number)
                                                            : formatted("%.*g", digits, number);
}

std::string interval_text(double low_ms, double high_ms, int digits) {
    bool const seconds = high_ms >= seconds_from_ms;
    auto const text = [&](double ms) { return significant_text(seconds ? ms / 1e3 : ms, digits); };
    return text(low_ms) + " to " + text(high_ms) + (seconds ? " s" : " ms");
}

std::string size_text(double size_bytes) {
    constexpr std::array<char const*, 7> units{"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    constexpr double rounds_up_from = 999.5; // would round up to 1 of the next unit
    std::size_t unit = 0;
    while (size_bytes >= rounds_up_from && unit + 1 < units.size()) {
        size_bytes /= 1000.0;
        unit += 1;
    }
    return printed("%.3g ", size_bytes) + units[unit];
}

std::string counted(std::uint64_t count, std::string_view noun, std::string_view plural) {
    std::string const many = plural.empty() ? std::string(noun) + "s" : std::string(plural);
    return grouped_count(count) + " " + (count == 1 ? std::string(noun) : many);
}

} // namespace keyswap::tools
