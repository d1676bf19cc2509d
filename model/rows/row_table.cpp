#include "model/rows/row_table.hpp"

#include "model/rows/cell.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/printable_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <utility>

namespace keyswap::model {

namespace {

struct NamedType {
    std::string_view name; ///< the first of a type is its own, the others are read too
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
constexpr std::size_t text_shown_max = 40;

std::string_view trimmed(std::string_view text) {
    auto const begin = text.find_first_not_of(' ');
    auto const end = text.find_last_not_of(' ');
    return begin == std::string_view::npos ? std::string_view{}
                                           : text.substr(begin, end - begin + 1);
}

/// What stands in brackets after a name, comma by comma; nullopt if the text is another.
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

std::optional<int> small_number(std::string_view text) {
    int number = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number)
                                                                    : std::nullopt;
}

std::optional<CellType> parse_decimal(std::string_view text) {
    constexpr int precision_max = 38; // of 128 bits
    auto const arguments = arguments_of(text, "decimal", '(', ')');
    if (!arguments) {
        return std::nullopt;
    }
    auto const precision =
        arguments->first.empty() ? precision_max : small_number(arguments->first);
    auto const scale = arguments->second.empty() ? 0 : small_number(arguments->second);
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
                   [](char letter) {
                       return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a')
                                                             : letter;
                   });
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

std::string_view ColumnChunk::sequence(std::uint64_t row) const {
    auto const end_at = [this](std::uint64_t index) {
        return wide_offsets ? load<std::uint64_t>(offsets + 8 * index)
                            : std::uint64_t{load<std::uint32_t>(offsets + 4 * index)};
    };
    std::uint64_t const begin = end_at(row);
    std::uint64_t const size = end_at(row + 1) - begin;
    return size == 0 ? std::string_view{}
                     : std::string_view(reinterpret_cast<char const*>(cells) + begin, size);
}

ColumnChunk fixed_cells(std::byte const* first, std::ptrdiff_t stride_bytes) {
    ColumnChunk chunk;
    chunk.cells = first;
    chunk.stride_bytes = stride_bytes;
    return chunk;
}

void RowTable::add(RowBatch batch, std::shared_ptr<void const> owner) {
    KEYSWAP_EXPECTS(batch.columns.size() == columns_.size());
    if (owner) {
        owners_.push_back(std::move(owner));
    }
    if (batch.row_count > 0) {
        batch.first_row = row_count_;
        row_count_ += batch.row_count;
        batches_.push_back(std::move(batch));
    }
}

RowTable::Place RowTable::place_of(std::uint64_t row) const {
    KEYSWAP_EXPECTS(row < row_count_);
    auto const next = std::ranges::upper_bound(batches_, row, {}, &RowBatch::first_row);
    RowBatch const& batch = *std::prev(next);
    return {&batch, row - batch.first_row};
}

Expected<std::size_t> RowTable::column_named(std::string_view wanted) const {
    auto const found = std::ranges::find(columns_, wanted, &ColumnInfo::name);
    if (found != columns_.end()) {
        auto const after = std::find_if(std::next(found), columns_.end(), [&](auto const& column) {
            return column.name == wanted;
        });
        if (after != columns_.end()) {
            return tl::unexpected(InputError{name_,
                                             "has two columns '" + printable_text(wanted) + "'",
                                             "give the column its number"});
        }
        return static_cast<std::size_t>(found - columns_.begin());
    }
    std::uint64_t number = 0;
    auto const [end, error] = std::from_chars(wanted.data(), wanted.data() + wanted.size(), number);
    if (error == std::errc() && end == wanted.data() + wanted.size() && number >= 1 &&
        number <= columns_.size()) {
        return number - 1;
    }
    KnownNames known;
    for (ColumnInfo const& column : columns_) {
        known.add(printable_text(column.name));
    }
    return tl::unexpected(InputError{name_,
                                     "has no column '" + printable_text(wanted) + "'",
                                     known.remedy(wanted, "its columns: ")});
}

std::string RowTable::text(std::uint64_t row, std::size_t column) const {
    auto const [batch, index] = place_of(row);
    return cell_text(columns_[column].type, batch->columns[column], index).value_or("");
}

std::string RowTable::shown(std::uint64_t row, std::size_t column) const {
    auto const [batch, index] = place_of(row);
    CellType const& type = columns_[column].type;
    auto text = cell_text(type, batch->columns[column], index);
    if (!text) {
        return "NULL";
    }
    if (!type.is_sequence()) {
        return *text;
    }
    bool const is_long = text->size() > text_shown_max;
    if (is_long) {
        std::size_t end = text_shown_max;
        while (end > 0 && (static_cast<unsigned char>((*text)[end]) & 0xc0U) == 0x80U) {
            --end; // within a character
        }
        text->resize(end);
    }
    return "'" + printable_text(*text) + (is_long ? "...'" : "'");
}

} // namespace keyswap::model
