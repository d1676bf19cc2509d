#include "model/rows/readers/arrow_format.hpp"

#include "traces/errors/placeholder.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/errors/utf8.hpp"

#include <array>
#include <charconv>
#include <cstring>
#include <optional>
#include <string_view>

namespace keyswap::model {

namespace {

/// A format string of one or two letters.
struct ShortFormat {
    std::string_view format;
    CellKind kind;
    std::size_t size_bytes = 0;
    bool wide_offsets = false;
    bool is_view = false;
};

constexpr std::array short_formats{ShortFormat{"n", CellKind::null},
                                   ShortFormat{"b", CellKind::boolean},
                                   ShortFormat{"c", CellKind::signed_integer, 1},
                                   ShortFormat{"C", CellKind::unsigned_integer, 1},
                                   ShortFormat{"s", CellKind::signed_integer, 2},
                                   ShortFormat{"S", CellKind::unsigned_integer, 2},
                                   ShortFormat{"i", CellKind::signed_integer, 4},
                                   ShortFormat{"I", CellKind::unsigned_integer, 4},
                                   ShortFormat{"l", CellKind::signed_integer, 8},
                                   ShortFormat{"L", CellKind::unsigned_integer, 8},
                                   ShortFormat{"e", CellKind::floating, 2},
                                   ShortFormat{"f", CellKind::floating, 4},
                                   ShortFormat{"g", CellKind::floating, 8},
                                   ShortFormat{"u", CellKind::utf8},
                                   ShortFormat{"U", CellKind::utf8, 0, true},
                                   ShortFormat{"vu", CellKind::utf8, 0, false, true},
                                   ShortFormat{"z", CellKind::binary},
                                   ShortFormat{"Z", CellKind::binary, 0, true},
                                   ShortFormat{"vz", CellKind::binary, 0, false, true},
                                   ShortFormat{"tdD", CellKind::date, 4},
                                   ShortFormat{"tdm", CellKind::date, 8}};

/// Types that have no order here, each with the pyarrow command that converts a column into one
/// that has. NAME stands for the column's name.
struct RefusedFormat {
    std::string_view beginning;
    std::string_view name;
    std::string_view remedy;
};

constexpr std::string_view drop_column = "leave the column out: table.drop_columns(['NAME'])";
constexpr std::string_view cast_to_int =
    "cast it: table.set_column(table.schema.get_field_index('NAME'), 'NAME', "
    "table['NAME'].cast('int64'))";
constexpr std::array refused_formats{
    RefusedFormat{"w:",
                  "fixed-size binary",
                  "cast it: table.set_column(table.schema.get_field_index('NAME'), 'NAME', "
                  "table['NAME'].cast('binary'))"},
    RefusedFormat{"tts",
                  "time32",
                  "cast it: table.set_column(table.schema.get_field_index('NAME'), 'NAME', "
                  "table['NAME'].cast('int32'))"},
    RefusedFormat{"ttm",
                  "time32",
                  "cast it: table.set_column(table.schema.get_field_index('NAME'), 'NAME', "
                  "table['NAME'].cast('int32'))"},
    RefusedFormat{"tt", "time64", cast_to_int},
    RefusedFormat{"tD", "duration", cast_to_int},
    RefusedFormat{"ti", "interval", drop_column},
    RefusedFormat{"+s", "struct", "make columns of its fields: table.flatten()"},
    RefusedFormat{"+l", "list", drop_column},
    RefusedFormat{"+L", "large list", drop_column},
    RefusedFormat{"+vl", "list view", drop_column},
    RefusedFormat{"+vL", "large list view", drop_column},
    RefusedFormat{"+w", "fixed-size list", drop_column},
    RefusedFormat{"+m", "map", drop_column},
    RefusedFormat{"+u", "union", drop_column},
    RefusedFormat{"+r",
                  "run-end encoded",
                  "decode it: table.set_column(table.schema.get_field_index('NAME'), 'NAME', "
                  "pyarrow.compute.run_end_decode(table['NAME']))"}};

/// Parses timestamps: "tsu:Europe/Berlin".
std::optional<CellType> timestamp_type(std::string_view format) {
    constexpr std::string_view units = "smun";
    if (format.size() < 4 || !format.starts_with("ts") || format[3] != ':' ||
        units.find(format[2]) == std::string_view::npos) {
        return std::nullopt;
    }
    return CellType{CellKind::timestamp,
                    sizeof(std::int64_t),
                    static_cast<TimeUnit>(units.find(format[2])),
                    std::string(format.substr(4))};
}

struct DecimalFormat {
    int precision = 0;
    int scale = 0;
    int bits = 128;
};

/// Parses decimals: "d:12,2" or "d:12,2,128".
std::optional<DecimalFormat> decimal_format(std::string_view format) {
    if (!format.starts_with("d:")) {
        return std::nullopt;
    }
    DecimalFormat decimal;
    std::array const numbers{&decimal.precision, &decimal.scale, &decimal.bits};
    char const* at = format.data() + 2;
    char const* const end = format.data() + format.size();
    std::size_t count = 0;
    while (count < numbers.size()) {
        auto const [rest, error] = std::from_chars(at, end, *numbers[count]);
        if (error != std::errc()) {
            return std::nullopt;
        }
        at = rest;
        ++count;
        if (at == end) {
            return count >= 2 ? std::optional(decimal) : std::nullopt;
        }
        if (*at++ != ',') {
            return std::nullopt;
        }
    }
    return std::nullopt;
}

Expected<CellType> decimal_type(DecimalFormat const& decimal, std::string const& subject) {
    constexpr int precision_max = 38; // limit of 128 bits
    if (decimal.bits != 128) {
        return input_error(subject,
                           "holds decimals of " + std::to_string(decimal.bits) +
                               " bits, and only 128-bit ones can be read",
                           "cast it to decimal128");
    }
    if (decimal.precision < 1 || decimal.precision > precision_max ||
        decimal.scale < -precision_max || decimal.scale > precision_max) {
        return malformed_export(subject,
                                "holds decimals of " + std::to_string(decimal.precision) +
                                    " digits, " + std::to_string(decimal.scale) +
                                    " of them after the point, which 128 bits cannot hold");
    }
    CellType type{CellKind::decimal, 16};
    type.precision = decimal.precision;
    type.scale = decimal.scale;
    return type;
}

/// Cell type and layout of a column, dictionaries excepted.
Expected<ArrowColumn>
describe_format(std::string_view format, std::string const& column, std::string const& subject) {
    ArrowColumn described;
    for (ShortFormat const& known : short_formats) {
        if (known.format == format) {
            described.info.type = CellType{known.kind, known.size_bytes};
            described.wide_offsets = known.wide_offsets;
            described.is_view = known.is_view;
            return described;
        }
    }
    if (auto const timestamp = timestamp_type(format)) {
        described.info.type = *timestamp;
        return described;
    }
    if (auto const decimal = decimal_format(format)) {
        KEYSWAP_TRY(described.info.type, decimal_type(*decimal, subject));
        return described;
    }
    for (RefusedFormat const& refused : refused_formats) {
        if (format.starts_with(refused.beginning)) {
            return input_error(subject,
                               "is of type " + std::string(refused.name) + ", which cannot be read",
                               fill_in(refused.remedy, "NAME", column));
        }
    }
    return input_error(subject,
                       "is of a type that is not known, '" + printable_text(format.substr(0, 40)) +
                           "'",
                       fill_in(drop_column, "NAME", column));
}

Expected<ArrowColumn> describe_arrow_column(ArrowSchema const& schema, std::string const& table) {
    std::string const name = schema.name != nullptr ? schema.name : "";
    std::string const shown = printable_text(name);
    std::string const subject = table + ", column '" + shown + "'";
    if (!is_utf8(name)) {
        return malformed_export(subject, "has a name that is not UTF-8");
    }
    if (schema.format == nullptr) {
        return malformed_export(subject, "has no format");
    }
    ArrowSchema const* const values = schema.dictionary != nullptr ? schema.dictionary : &schema;
    if (values->format == nullptr || values->dictionary != nullptr) {
        return malformed_export(subject, "has a dictionary that cannot be read");
    }
    KEYSWAP_TRY(auto column, describe_format(values->format, shown, subject));
    if (values->n_children != 0) {
        return malformed_export(subject, "has children, unlike its type");
    }
    column.info.name = name;
    if (schema.dictionary != nullptr) {
        KEYSWAP_TRY(auto const indices, describe_format(schema.format, shown, subject));
        bool const is_signed = indices.info.type.kind == CellKind::signed_integer;
        if (!is_signed && indices.info.type.kind != CellKind::unsigned_integer) {
            return malformed_export(subject,
                                    "has a dictionary whose indices are of type " +
                                        to_string(indices.info.type));
        }
        column.index_bytes = indices.info.type.size_bytes;
        column.signed_indices = is_signed;
    }
    return column;
}

} // namespace

tl::unexpected<InputError> malformed_export(std::string subject, std::string problem) {
    return input_error(std::move(subject),
                       std::move(problem),
                       "this is an error of the program that exports the data");
}

Expected<ArrowColumns> describe_arrow_columns(ArrowSchema const& schema, std::string const& table) {
    ArrowColumns result;
    if (schema.format == nullptr) {
        return malformed_export(table, "has a schema without a format");
    }
    result.is_record_batch = std::string_view(schema.format) == "+s";
    if (!result.is_record_batch) {
        KEYSWAP_TRY(auto column, describe_arrow_column(schema, table));
        column.info.name = column.info.name.empty() ? "value" : column.info.name;
        result.columns.push_back(std::move(column));
        return result;
    }
    if (schema.n_children < 0 || (schema.n_children > 0 && schema.children == nullptr)) {
        return malformed_export(table, "has a schema without its columns");
    }
    for (std::int64_t i = 0; i < schema.n_children; ++i) {
        if (schema.children[i] == nullptr) {
            return malformed_export(table, "has a schema without its columns");
        }
        KEYSWAP_TRY(auto column, describe_arrow_column(*schema.children[i], table));
        result.columns.push_back(std::move(column));
    }
    if (result.columns.empty()) {
        return input_error(table, "has no columns", "give a table that has some columns");
    }
    return result;
}

} // namespace keyswap::model
