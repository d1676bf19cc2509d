#include "simulator/platform/units.hpp"

#include "traces/errors/try.hpp"

#include <array>
#include <charconv>
#include <limits>
#include <optional>
#include <span>

namespace keyswap::simulator {
namespace {

__extension__ using Wide = unsigned __int128;

struct Unit {
    std::string_view name;
    std::uint64_t factor;  ///< base units per unit, times `divisor`
    std::uint64_t divisor; ///< 8 for bits, else 1
    UnitFamily family;
};

constexpr auto decimal = UnitFamily::decimal_bytes;
constexpr auto binary = UnitFamily::binary_bytes;
constexpr auto bits = UnitFamily::bits;

constexpr std::array bandwidth_units{
    Unit{"TB/s", 1'000'000'000'000, 1, decimal},
    Unit{"GB/s", 1'000'000'000, 1, decimal},
    Unit{"MB/s", 1'000'000, 1, decimal},
    Unit{"kB/s", 1'000, 1, decimal},
    Unit{"B/s", 1, 1, decimal},
    Unit{"TiB/s", 1ULL << 40, 1, binary},
    Unit{"GiB/s", 1ULL << 30, 1, binary},
    Unit{"MiB/s", 1ULL << 20, 1, binary},
    Unit{"KiB/s", 1ULL << 10, 1, binary},
    Unit{"Tb/s", 1'000'000'000'000, 8, bits},
    Unit{"Gb/s", 1'000'000'000, 8, bits},
    Unit{"Mb/s", 1'000'000, 8, bits},
};
constexpr std::array time_units{
    Unit{"s", 1'000'000'000'000, 1, decimal},
    Unit{"ms", 1'000'000'000, 1, decimal},
    Unit{"us", 1'000'000, 1, decimal},
    Unit{"ns", 1'000, 1, decimal},
    Unit{"ps", 1, 1, decimal},
};
constexpr std::array size_units{
    Unit{"TB", 1'000'000'000'000, 1, decimal},
    Unit{"GB", 1'000'000'000, 1, decimal},
    Unit{"MB", 1'000'000, 1, decimal},
    Unit{"kB", 1'000, 1, decimal},
    Unit{"B", 1, 1, decimal},
    Unit{"TiB", 1ULL << 40, 1, binary},
    Unit{"GiB", 1ULL << 30, 1, binary},
    Unit{"MiB", 1ULL << 20, 1, binary},
    Unit{"KiB", 1ULL << 10, 1, binary},
};

/// A non-negative decimal number: mantissa / 10^decimals.
struct Decimal {
    std::uint64_t mantissa = 0;
    int decimals = 0;
};

constexpr int digits_max = 18; ///< 10^18 < 2^63: a mantissa never overflows

struct Reading {
    std::uint64_t value;
    UnitFamily family;
};

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

std::string known_units(std::span<Unit const> units) {
    std::string list;
    for (Unit const& unit : units) {
        list += (list.empty() ? "" : ", ") + std::string(unit.name);
    }
    return list;
}

/// Consumes leading digits of `text`; nullopt without digits.
std::optional<Decimal> take_decimal(std::string_view& text) {
    Decimal number;
    int digits = 0;
    bool point = false;
    std::size_t at = 0;
    for (; at < text.size(); ++at) {
        if (text[at] == '.' && !point) {
            point = true;
        } else if (is_digit(text[at]) && digits < digits_max) {
            number.mantissa = number.mantissa * 10 + static_cast<std::uint64_t>(text[at] - '0');
            number.decimals += point ? 1 : 0;
            ++digits;
        } else {
            break;
        }
    }
    if (digits == 0 || (at < text.size() && is_digit(text[at]))) {
        return std::nullopt;
    }
    text.remove_prefix(at);
    return number;
}

Expected<Reading> parse_quantity(std::string_view text, std::span<Unit const> units) {
    std::string const quoted = "\"" + std::string(text) + "\"";
    std::string const remedy = "write a number and one of " + known_units(units) +
                               ", as in \"1.5 " + std::string(units[1].name) + "\"";
    std::string_view rest = text;
    if (!rest.empty() && rest.front() == '-') {
        return input_error("", quoted + " is negative", remedy);
    }
    auto const number = take_decimal(rest);
    if (!number) {
        return input_error(
            "", quoted + " is not a number of at most 18 digits with a unit", remedy);
    }
    while (!rest.empty() && rest.front() == ' ') {
        rest.remove_prefix(1);
    }
    if (rest.empty()) {
        return input_error("", quoted + " has no unit", remedy);
    }
    for (Unit const& unit : units) {
        if (unit.name != rest) {
            continue;
        }
        Wide divisor = unit.divisor;
        for (int i = 0; i < number->decimals; ++i) {
            divisor *= 10;
        }
        Wide const value =
            (static_cast<Wide>(number->mantissa) * unit.factor + divisor / 2) / divisor;
        if (value > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) {
            return input_error("", quoted + " is too large", remedy);
        }
        return Reading{static_cast<std::uint64_t>(value), unit.family};
    }
    return input_error("", "\"" + std::string(rest) + "\" is not a unit for this quantity", remedy);
}

/// value / factor as an exact decimal number.
std::string format_decimal(std::uint64_t value, std::uint64_t factor) {
    std::string text = std::to_string(value / factor);
    std::uint64_t rest = value % factor;
    if (rest != 0) {
        text += '.';
        for (; rest != 0; rest %= factor) {
            factor /= 10;
            text += static_cast<char>('0' + rest / factor);
        }
    }
    return text;
}

std::string format_in(std::uint64_t value, std::span<Unit const> units) {
    for (Unit const& unit : units) {
        if (unit.factor <= value || unit.factor == 1) {
            return format_decimal(value, unit.factor) + " " + std::string(unit.name);
        }
    }
    return {};
}

} // namespace

Expected<ParsedBandwidth> parse_bandwidth(std::string_view text) {
    return parse_quantity(text, bandwidth_units).map([](Reading reading) {
        return ParsedBandwidth{reading.value, reading.family};
    });
}

Expected<SimTime> parse_time(std::string_view text) {
    return parse_quantity(text, time_units).map([](Reading reading) {
        return SimTime{static_cast<std::int64_t>(reading.value)};
    });
}

Expected<std::uint64_t> parse_size(std::string_view text) {
    return parse_quantity(text, size_units).map([](Reading reading) { return reading.value; });
}

std::string format_bandwidth(std::uint64_t bytes_per_second) {
    return format_in(bytes_per_second, std::span(bandwidth_units).subspan(1, 4)); // GB/s at most
}

std::string format_time(SimTime time) {
    return format_in(static_cast<std::uint64_t>(time.ps), time_units);
}

std::string format_size(std::uint64_t size_bytes) {
    constexpr std::uint64_t gib = 1ULL << 30;
    constexpr std::uint64_t mib = 1ULL << 20;
    if (size_bytes != 0 && size_bytes % gib == 0) {
        return std::to_string(size_bytes / gib) + " GiB";
    }
    if (size_bytes != 0 && size_bytes % mib == 0 && size_bytes % 1'000'000 != 0) {
        return std::to_string(size_bytes / mib) + " MiB";
    }
    return format_in(size_bytes, std::span(size_units).subspan(1, 4));
}

std::string shortest_text(double value) {
    std::array<char, 32> text{};
    auto const end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
    return {text.data(), end};
}

std::string_view to_string(UnitFamily family) {
    switch (family) {
    case UnitFamily::decimal_bytes:
        return "GB/s";
    case UnitFamily::binary_bytes:
        return "GiB/s";
    case UnitFamily::bits:
        return "Gb/s";
    }
    return "";
}

} // namespace keyswap::simulator
