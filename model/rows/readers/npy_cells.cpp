#include "model/rows/readers/npy_cells.hpp"

#include "model/rows/table/cell.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"
#include "traces/errors/utf8.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace keyswap::model {

static_assert(std::endian::native == std::endian::little, "numbers are read where they lie");

namespace {

constexpr std::int64_t not_a_time = std::numeric_limits<std::int64_t>::min();
constexpr std::size_t utf32_bytes = 4;

/// A unit of datetime64 and its size in units of a CellType.
struct NumpyUnit {
    std::string_view name;
    CellKind kind;
    TimeUnit unit = TimeUnit::seconds;
    std::int64_t factor = 1;
    int months = 0;
};

constexpr std::array numpy_units{NumpyUnit{"Y", CellKind::date, TimeUnit::seconds, 1, 12},
                                 NumpyUnit{"M", CellKind::date, TimeUnit::seconds, 1, 1},
                                 NumpyUnit{"W", CellKind::date, TimeUnit::seconds, 7},
                                 NumpyUnit{"D", CellKind::date},
                                 NumpyUnit{"h", CellKind::timestamp, TimeUnit::seconds, 3600},
                                 NumpyUnit{"m", CellKind::timestamp, TimeUnit::seconds, 60},
                                 NumpyUnit{"s", CellKind::timestamp, TimeUnit::seconds},
                                 NumpyUnit{"ms", CellKind::timestamp, TimeUnit::milliseconds},
                                 NumpyUnit{"us", CellKind::timestamp, TimeUnit::microseconds},
                                 NumpyUnit{"ns", CellKind::timestamp, TimeUnit::nanoseconds}};

InputError no_cell_type(std::string_view descriptor, char kind, std::string const& subject) {
    std::string const problem =
        "has the dtype '" + printable_text(descriptor.substr(0, 40)) + "', which is not supported";
    switch (kind) {
    case 'O':
        return {subject,
                problem + ": Python objects",
                "save numbers or text: a.astype('f8'), a.astype('U')"};
    case 'c':
        return {subject, problem + ": complex numbers", "save a.real and a.imag"};
    case 'f':
        return {subject, problem, "save a.astype('f8'), which rounds the numbers"};
    case 'm':
        return {subject, problem + ": durations", "save a.astype('i8')"};
    case 'M':
        return {subject, problem, "save a.astype('M8[ns]')"};
    default:
        return {subject, problem, "save numbers, text, dates or timestamps"};
    }
}

/// Parses the unit of "M8[us]" or "M8[25s]".
std::optional<NpyElement> time_element(std::string_view rest) {
    if (!rest.starts_with("8[") || !rest.ends_with(']')) {
        return std::nullopt;
    }
    std::string_view unit = rest.substr(2, rest.size() - 3);
    std::size_t const digits = std::min(unit.find_first_not_of("0123456789"), unit.size());
    auto const multiple =
        digits == 0 ? 1 : parsed_number<std::uint32_t>(unit.substr(0, digits)).value_or(0);
    unit.remove_prefix(digits);
    auto const* const known = std::ranges::find(numpy_units, unit, &NumpyUnit::name);
    if (known == numpy_units.end() || multiple == 0) {
        return std::nullopt;
    }
    NpyElement element;
    bool const is_date = known->kind == CellKind::date;
    element.type = {known->kind, is_date ? sizeof(std::int32_t) : sizeof(std::int64_t)};
    element.type.unit = known->unit;
    element.size_bytes = sizeof(std::int64_t);
    element.unit_factor = known->factor * multiple;
    element.calendar_months = known->months;
    return element;
}

/// The element type of numbers of this size; nullopt if there is none.
std::optional<NpyElement> number_element(CellKind kind, std::uint32_t size) {
    bool const known =
        size == 2 || size == 4 || size == 8 || (size == 1 && kind != CellKind::floating);
    NpyElement element;
    element.type = {kind, size};
    element.size_bytes = size;
    return known ? std::optional(element) : std::nullopt;
}

std::optional<NpyElement> element_of(char kind, std::string_view rest) {
    if (kind == 'M') {
        return time_element(rest);
    }
    auto const size = parsed_number<std::uint32_t>(rest);
    NpyElement element;
    switch (size ? kind : '\0') {
    case 'b':
        element.type = {CellKind::boolean};
        element.size_bytes = 1;
        return *size == 1 ? std::optional(element) : std::nullopt;
    case 'i':
        return number_element(CellKind::signed_integer, *size);
    case 'u':
        return number_element(CellKind::unsigned_integer, *size);
    case 'f':
        return number_element(CellKind::floating, *size);
    case 'S':
    case 'U':
        element.type = {CellKind::utf8};
        element.size_bytes = std::size_t{*size} * (kind == 'U' ? utf32_bytes : 1);
        return element;
    case 'V':
        element.type = {CellKind::binary};
        element.size_bytes = *size;
        return element;
    default:
        return std::nullopt;
    }
}

/// A contiguous little-endian copy of the elements.
std::shared_ptr<std::vector<std::byte>>
little_endian_copy(ColumnChunk const& stored, std::uint64_t count, std::size_t size_bytes) {
    auto copy = std::make_shared<std::vector<std::byte>>(count * size_bytes);
    for (std::uint64_t row = 0; row < count; ++row) {
        std::byte const* const from = cell_of(stored, row);
        std::reverse_copy(from, from + size_bytes, copy->data() + row * size_bytes);
    }
    return copy;
}

Expected<NpyColumn> wide_text_column(NpyElement const& element,
                                     ColumnChunk const& stored,
                                     std::uint64_t count,
                                     std::string const& subject) {
    ColumnBuilder cells(element.type);
    std::string text;
    for (std::uint64_t row = 0; row < count; ++row) {
        std::byte const* const cell = cell_of(stored, row);
        auto const code_at = [&](std::size_t at) {
            auto const code = load<std::uint32_t>(cell + at);
            return element.big_endian ? __builtin_bswap32(code) : code;
        };
        std::size_t end = element.size_bytes;
        while (end > 0 && code_at(end - utf32_bytes) == 0) {
            end -= utf32_bytes;
        }
        text.clear();
        for (std::size_t at = 0; at < end; at += utf32_bytes) {
            if (!append_utf8(text, code_at(at))) {
                return input_error(subject,
                                   "has text in row " + std::to_string(row) +
                                       " that is not Unicode",
                                   "save the array again with numpy.save");
            }
        }
        cells.add_sequence(text);
    }
    return NpyColumn{element.type, cells.take()};
}

/// Copies bytes; the column is text if all cells are UTF-8, else binary.
NpyColumn bytes_column(NpyElement const& element, ColumnChunk const& stored, std::uint64_t count) {
    CellType type = element.type;
    auto const cell_at = [&](std::uint64_t row) {
        std::string_view const cell(reinterpret_cast<char const*>(cell_of(stored, row)),
                                    element.size_bytes);
        return element.kind == 'V' ? cell : cell.substr(0, cell.find_last_not_of('\0') + 1);
    };
    for (std::uint64_t row = 0; row < count && type.kind == CellKind::utf8; ++row) {
        type.kind = is_utf8(cell_at(row)) ? CellKind::utf8 : CellKind::binary;
    }
    ColumnBuilder cells(type);
    for (std::uint64_t row = 0; row < count; ++row) {
        cells.add_sequence(cell_at(row));
    }
    return {type, cells.take()};
}

NpyColumn
boolean_column(NpyElement const& element, ColumnChunk const& stored, std::uint64_t count) {
    ColumnBuilder cells(element.type);
    for (std::uint64_t row = 0; row < count; ++row) {
        cells.add_word(std::to_integer<std::uint64_t>(*cell_of(stored, row)));
    }
    return {element.type, cells.take()};
}

/// Converts a time to units of the column's type; nullopt if out of range.
std::optional<std::int64_t> converted_time(NpyElement const& element, std::int64_t value) {
    constexpr std::int64_t months_max = 12'000'000'000;
    std::int64_t scaled = 0;
    if (__builtin_mul_overflow(value, element.unit_factor, &scaled)) {
        return std::nullopt;
    }
    if (element.calendar_months != 0) {
        if (scaled > months_max || scaled < -months_max) {
            return std::nullopt;
        }
        std::int64_t const months = scaled * element.calendar_months;
        std::int64_t const years = months / 12 - (months % 12 < 0 ? 1 : 0);
        scaled = days_of_date(1970 + years, static_cast<unsigned>(months - years * 12) + 1, 1);
    }
    bool const fits = element.type.kind != CellKind::date ||
                      (scaled >= std::numeric_limits<std::int32_t>::min() &&
                       scaled <= std::numeric_limits<std::int32_t>::max());
    return fits && scaled != not_a_time ? std::optional(scaled) : std::nullopt;
}

std::int64_t time_at(NpyElement const& element, ColumnChunk const& stored, std::uint64_t row) {
    auto const word = load<std::uint64_t>(cell_of(stored, row));
    return static_cast<std::int64_t>(element.big_endian ? __builtin_bswap64(word) : word);
}

/// Times in the type's own units without nulls are viewed; for days, through their low halves.
Expected<NpyColumn> time_column(NpyElement const& element,
                                ColumnChunk const& stored,
                                std::uint64_t count,
                                std::string const& subject) {
    bool copied = element.big_endian || element.unit_factor != 1 || element.calendar_months != 0;
    for (std::uint64_t row = 0; row < count && !copied; ++row) {
        copied = time_at(element, stored, row) == not_a_time;
    }
    ColumnBuilder copies(element.type);
    for (std::uint64_t row = 0; row < count; ++row) {
        std::int64_t const value = time_at(element, stored, row);
        if (value == not_a_time) {
            copies.add_null();
            continue;
        }
        auto const converted = converted_time(element, value);
        if (!converted) {
            return input_error(subject,
                               "has the time " + std::to_string(value) + " in row " +
                                   std::to_string(row) + ", too far from 1970 for " +
                                   to_string(element.type),
                               "save a.astype('i8')");
        }
        if (copied) {
            copies.add_word(static_cast<std::uint64_t>(*converted));
        }
    }
    return NpyColumn{element.type, copied ? copies.take() : stored};
}

} // namespace

Expected<NpyElement> parse_npy_element(std::string_view descriptor, std::string const& subject) {
    std::string_view rest = descriptor;
    bool const has_order =
        !rest.empty() && std::string_view("<>=|").find(rest.front()) != std::string_view::npos;
    char const order = has_order ? rest.front() : '=';
    rest.remove_prefix(has_order ? 1 : 0);
    char const kind = rest.empty() ? '\0' : rest.front();
    auto element = element_of(kind, rest.substr(rest.empty() ? 0 : 1));
    if (!element) {
        return tl::unexpected(no_cell_type(descriptor, kind, subject));
    }
    element->kind = kind;
    element->big_endian = order == '>';
    return *element;
}

Expected<NpyColumn> npy_column(NpyElement const& element,
                               ColumnChunk const& stored,
                               std::uint64_t count,
                               std::string const& subject) {
    switch (element.kind) {
    case 'U':
        return wide_text_column(element, stored, count, subject);
    case 'S':
    case 'V':
        return bytes_column(element, stored, count);
    case 'b':
        return boolean_column(element, stored, count);
    case 'M':
        return time_column(element, stored, count, subject);
    default:
        break;
    }
    if (element.big_endian && element.size_bytes > 1) {
        auto const copy = little_endian_copy(stored, count, element.size_bytes);
        NpyColumn column{element.type, {}};
        column.cells = fixed_cells(copy->data(), static_cast<std::ptrdiff_t>(element.size_bytes));
        column.cells.owner = copy;
        return column;
    }
    return NpyColumn{element.type, stored};
}

} // namespace keyswap::model
