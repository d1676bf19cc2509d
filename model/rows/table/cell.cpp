#include "model/rows/table/cell.hpp"

#include "model/key_files/narrow_type.hpp"
#include "model/keys/key_text.hpp"
#include "model/keys/wide_text.hpp"

#include <array>
#include <bit>
#include <span>
#include <string_view>

namespace keyswap::model {

namespace {

constexpr std::int64_t days_per_era = 146'097;     ///< 400 years of the Gregorian calendar
constexpr std::int64_t days_before_1970 = 719'468; ///< since 0000-03-01
constexpr std::int64_t seconds_per_day = 86'400;

std::int64_t floor_quotient(std::int64_t a, std::int64_t b) {
    return a / b - (a % b < 0 ? 1 : 0);
}

std::string padded(std::uint64_t number, std::size_t digits) {
    std::string text = std::to_string(number);
    return text.size() < digits ? std::string(digits - text.size(), '0') + text : text;
}

/// The inverse of days_of_date(); same source.
std::string date_text(std::int64_t days) {
    std::int64_t const shifted = days + days_before_1970;
    std::int64_t const era = floor_quotient(shifted, days_per_era);
    auto const day_of_era = static_cast<std::uint64_t>(shifted - era * days_per_era);
    std::uint64_t const year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36'524 - day_of_era / 146'096) / 365;
    std::uint64_t const day_of_year =
        day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    std::uint64_t const month_from_march = (5 * day_of_year + 2) / 153;
    std::uint64_t const day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    std::uint64_t const month = month_from_march < 10 ? month_from_march + 3 : month_from_march - 9;
    std::int64_t const year =
        static_cast<std::int64_t>(year_of_era) + era * 400 + (month <= 2 ? 1 : 0);
    return (year < 0 ? "-" : "") + padded(static_cast<std::uint64_t>(std::abs(year)), 4) + "-" +
           padded(month, 2) + "-" + padded(day, 2);
}

std::string timestamp_text(CellType const& type, std::int64_t value) {
    std::int64_t const per_second = units_per_second(type.unit);
    std::int64_t const seconds = floor_quotient(value, per_second);
    auto const fraction = static_cast<std::uint64_t>(value - seconds * per_second);
    std::int64_t const days = floor_quotient(seconds, seconds_per_day);
    auto const second = static_cast<std::uint64_t>(seconds - days * seconds_per_day);
    std::string text = date_text(days) + " " + padded(second / 3600, 2) + ":" +
                       padded(second / 60 % 60, 2) + ":" + padded(second % 60, 2);
    if (fraction > 0) {
        text += "." + padded(fraction, 3 * static_cast<std::size_t>(type.unit));
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text + (type.time_zone.empty() ? "" : "Z");
}

std::string decimal_text(int128 value, int scale) {
    std::array<char, 48> buffer{};
    auto const end = to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
    std::string digits(buffer.data(), end);
    bool const negative = digits.starts_with('-');
    digits.erase(0, negative ? 1 : 0);
    if (scale <= 0) {
        digits += digits == "0" ? "" : std::string(static_cast<std::size_t>(-scale), '0');
        return (negative ? "-" : "") + digits;
    }
    auto const fraction = static_cast<std::size_t>(scale);
    if (digits.size() <= fraction) {
        digits.insert(0, fraction + 1 - digits.size(), '0');
    }
    digits.insert(digits.size() - fraction, ".");
    return (negative ? "-" : "") + digits;
}

/// The bits of a float of 4 bytes, or of 2 widened to 4.
std::uint32_t float_bits(CellType const& type, std::byte const* cell) {
    return type.size_bytes == sizeof(float) ? load<std::uint32_t>(cell)
                                            : binary32_of_binary16(load<std::uint16_t>(cell));
}

std::string float_text(CellType const& type, std::byte const* cell) {
    if (type.size_bytes == sizeof(double)) {
        return key_text(KeyType::f64, std::span(cell, sizeof(double)));
    }
    std::uint32_t const bits = float_bits(type, cell);
    return key_text(KeyType::f32, std::as_bytes(std::span(&bits, 1)));
}

std::uint64_t extended(std::byte const* cell, std::size_t size, bool is_signed) {
    switch (size) {
    case 1:
        return is_signed ? static_cast<std::uint64_t>(load<std::int8_t>(cell))
                         : load<std::uint8_t>(cell);
    case 2:
        return is_signed ? static_cast<std::uint64_t>(load<std::int16_t>(cell))
                         : load<std::uint16_t>(cell);
    case 4:
        return is_signed ? static_cast<std::uint64_t>(load<std::int32_t>(cell))
                         : load<std::uint32_t>(cell);
    default:
        return load<std::uint64_t>(cell);
    }
}

} // namespace

std::int64_t units_per_second(TimeUnit unit) {
    constexpr std::array<std::int64_t, 4> units{1, 1'000, 1'000'000, 1'000'000'000};
    return units[static_cast<std::size_t>(unit)];
}

std::int64_t days_of_date(std::int64_t year, unsigned month, unsigned day) {
    std::int64_t const from_march = year - (month <= 2 ? 1 : 0);
    std::int64_t const era = floor_quotient(from_march, 400);
    std::int64_t const year_of_era = from_march - era * 400;
    std::int64_t const month_from_march = (month + 9) % 12;
    std::int64_t const day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    std::int64_t const day_of_era =
        year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * days_per_era + day_of_era - days_before_1970;
}

std::uint64_t word_of(CellType const& type, ColumnChunk const& chunk, std::uint64_t row) {
    switch (type.kind) {
    case CellKind::boolean:
        return chunk.boolean(row) ? 1 : 0;
    case CellKind::floating: {
        std::byte const* const cell = cell_of(chunk, row);
        if (type.size_bytes == sizeof(double)) {
            return load<std::uint64_t>(cell);
        }
        // Convert by hand, because a cast would quieten signalling NaNs.
        std::uint32_t const bits = float_bits(type, cell);
        bool const is_nan = (bits & 0x7fff'ffffU) > 0x7f80'0000U;
        return is_nan
                   ? std::uint64_t{bits} >> 31 << 63 | 0x7ff0'0000'0000'0000U |
                         std::uint64_t{bits & 0x7f'ffffU} << 29
                   : std::bit_cast<std::uint64_t>(static_cast<double>(std::bit_cast<float>(bits)));
    }
    default:
        return extended(
            cell_of(chunk, row), type.size_bytes, type.kind != CellKind::unsigned_integer);
    }
}

std::optional<std::string>
cell_text(CellType const& type, ColumnChunk const& chunk, std::uint64_t row) {
    if (type.kind == CellKind::null || chunk.is_null(row)) {
        return std::nullopt;
    }
    switch (type.kind) {
    case CellKind::utf8:
    case CellKind::binary:
        return std::string(chunk.sequence(row));
    case CellKind::boolean:
        return chunk.boolean(row) ? "true" : "false";
    case CellKind::decimal:
        return decimal_text(decimal_of(chunk, row), type.scale);
    case CellKind::floating:
        return float_text(type, cell_of(chunk, row));
    case CellKind::unsigned_integer:
        return std::to_string(word_of(type, chunk, row));
    default:
        break;
    }
    auto const value = static_cast<std::int64_t>(word_of(type, chunk, row));
    if (type.kind == CellKind::date) {
        return date_text(type.size_bytes == 8 ? floor_quotient(value, ms_per_day) : value);
    }
    return type.kind == CellKind::timestamp ? timestamp_text(type, value) : std::to_string(value);
}

} // namespace keyswap::model
