#include "model/rows/table/cell_type.hpp"

#include "model/keys/wide_integer.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/lower_case.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

namespace keyswap::model {

namespace {

struct NamedType {
    std::string_view name; ///< the first name of a type is printed, all are accepted
    CellKind kind;
    std::size_t size_bytes = 0;
};

constexpr std::array named_types{NamedType{"null", CellKind::null},
                                 NamedType{"bool", CellKind::boolean},
                                 NamedType{"boolean", CellKind::boolean},
                                 NamedType{"int8", CellKind::signed_integer, 1},
                                 NamedType{"i8", CellKind::signed_integer, 1},
                                 NamedType{"int16", CellKind::signed_integer, 2},
                                 NamedType{"i16", CellKind::signed_integer, 2},
                                 NamedType{"int32", CellKind::signed_integer, 4},
                                 NamedType{"i32", CellKind::signed_integer, 4},
                                 NamedType{"int", CellKind::signed_integer, 4},
                                 NamedType{"int64", CellKind::signed_integer, 8},
                                 NamedType{"i64", CellKind::signed_integer, 8},
                                 NamedType{"bigint", CellKind::signed_integer, 8},
                                 NamedType{"uint8", CellKind::unsigned_integer, 1},
                                 NamedType{"u8", CellKind::unsigned_integer, 1},
                                 NamedType{"uint16", CellKind::unsigned_integer, 2},
                                 NamedType{"u16", CellKind::unsigned_integer, 2},
                                 NamedType{"uint32", CellKind::unsigned_integer, 4},
                                 NamedType{"u32", CellKind::unsigned_integer, 4},
                                 NamedType{"uint64", CellKind::unsigned_integer, 8},
                                 NamedType{"u64", CellKind::unsigned_integer, 8},
                                 NamedType{"float16", CellKind::floating, 2},
                                 NamedType{"f16", CellKind::floating, 2},
                                 NamedType{"float32", CellKind::floating, 4},
                                 NamedType{"f32", CellKind::floating, 4},
                                 NamedType{"float", CellKind::floating, 4},
                                 NamedType{"float64", CellKind::floating, 8},
                                 NamedType{"f64", CellKind::floating, 8},
                                 NamedType{"double", CellKind::floating, 8},
                                 NamedType{"date", CellKind::date, 4},
                                 NamedType{"date32", CellKind::date, 4},
                                 NamedType{"date64", CellKind::date, 8},
                                 NamedType{"string", CellKind::utf8},
                                 NamedType{"utf8", CellKind::utf8},
                                 NamedType{"str", CellKind::utf8},
                                 NamedType{"text", CellKind::utf8},
                                 NamedType{"varchar", CellKind::utf8},
                                 NamedType{"binary", CellKind::binary},
                                 NamedType{"bytes", CellKind::binary}};

constexpr std::array<std::string_view, 4> unit_names{"s", "ms", "us", "ns"};
std::string_view trimmed(std::string_view text) {
    auto const begin = text.find_first_not_of(' ');
    auto const end = text.find_last_not_of(' ');
    return begin == std::string_view::npos ? std::string_view{}
                                           : text.substr(begin, end - begin + 1);
}

/// The comma-separated arguments in brackets after a name; nullopt if the text is something else.
std::optional<std::pair<std::string_view, std::string_view>>
arguments_of(std::string_view text, std::string_view name, char open, char close) {
    if (!text.starts_with(name)) {
        return std::nullopt;
    }
    text = trimmed(text.substr(name.size()));
    if (text.empty()) {
        return std::pair<std::string_view, std::string_view>{};
    }
    if (!text.starts_with(open) || !text.ends_with(close)) {
        return std::nullopt;
    }
    text = text.substr(1, text.size() - 2);
    auto const comma = text.find(',');
    return std::pair{trimmed(text.substr(0, comma)),
                     comma == std::string_view::npos ? std::string_view{}
                                                     : trimmed(text.substr(comma + 1))};
}

std::optional<CellType> parse_decimal(std::string_view text) {
    constexpr int precision_max = 38; // limit of 128 bits
    auto const arguments = arguments_of(text, "decimal", '(', ')');
    if (!arguments) {
        return std::nullopt;
    }
    auto const precision =
        arguments->first.empty() ? precision_max : parsed_number<int>(arguments->first);
    auto const scale = arguments->second.empty() ? 0 : parsed_number<int>(arguments->second);
    if (!precision || !scale || *precision < 1 || *precision > precision_max || *scale < 0 ||
        *scale > *precision) {
        return std::nullopt;
    }
    CellType type{CellKind::decimal, sizeof(int128)};
    type.precision = *precision;
    type.scale = *scale;
    return type;
}

std::optional<CellType> parse_timestamp(std::string_view text) {
    auto const arguments = arguments_of(text, "timestamp", '[', ']');
    if (!arguments) {
        return std::nullopt;
    }
    CellType type{CellKind::timestamp, sizeof(std::int64_t), TimeUnit::microseconds};
    if (!arguments->first.empty()) {
        auto const unit = std::ranges::find(unit_names, arguments->first);
        if (unit == unit_names.end()) {
            return std::nullopt;
        }
        type.unit = static_cast<TimeUnit>(unit - unit_names.begin());
    }
    type.time_zone = std::string(arguments->second);
    return type;
}

} // namespace

std::string to_string(CellType const& type) {
    if (type.kind == CellKind::timestamp) {
        return "timestamp[" + std::string(unit_names[static_cast<std::size_t>(type.unit)]) +
               (type.time_zone.empty() ? "" : ", " + printable_text(type.time_zone)) + "]";
    }
    if (type.kind == CellKind::decimal) {
        return "decimal(" + std::to_string(type.precision) + ", " + std::to_string(type.scale) +
               ")";
    }
    for (NamedType const& named : named_types) {
        if (named.kind == type.kind && named.size_bytes == type.size_bytes) {
            return std::string(named.name);
        }
    }
    return "";
}

Expected<CellType> parse_cell_type(std::string_view text) {
    std::string small(trimmed(text));
    auto const end_of_word = std::min(small.find_first_of("[("), small.size());
    std::transform(small.begin(),
                   small.begin() + static_cast<std::ptrdiff_t>(end_of_word),
                   small.begin(),
                   [](char letter) { return lower_case(letter); });
    auto const named = std::ranges::find(named_types, small, &NamedType::name);
    if (named != named_types.end()) {
        return CellType{named->kind, named->size_bytes};
    }
    if (auto const decimal = parse_decimal(small)) {
        return *decimal;
    }
    if (auto const timestamp = parse_timestamp(small)) {
        return *timestamp;
    }
    if (small.starts_with("decimal")) {
        return input_error("type",
                           "'" + printable_text(text) + "' is not a decimal number of 128 bits",
                           "write decimal(PRECISION, SCALE), with 1 to 38 digits in all and 0 to "
                           "PRECISION of them after the point");
    }
    if (small.starts_with("timestamp")) {
        return input_error("type",
                           "'" + printable_text(text) + "' is not a timestamp",
                           "write timestamp[s], [ms], [us] or [ns], with a time zone if there is "
                           "one: timestamp[us, UTC]");
    }
    KnownNames known;
    std::optional<CellType> last;
    for (NamedType const& type : named_types) {
        if (!last || type.kind != last->kind || type.size_bytes != last->size_bytes) {
            known.add(type.name);
        }
        last = CellType{type.kind, type.size_bytes};
    }
    known.add("timestamp[us, UTC]");
    known.add("decimal(12, 2)");
    return known.not_known("type", text);
}

} // namespace keyswap::model
