#include "model/rows/causes/key_variant.hpp"

#include "model/rows/table/cell.hpp"
#include "model/rows/table/row_words.hpp"
#include "traces/errors/interruption.hpp"
#include "traces/errors/lower_case.hpp"

#include <algorithm>
#include <bit>
#include <cctype>
#include <string>
#include <string_view>

namespace keyswap::model {

namespace {

/// The letters of U+00C0 to U+017F without their accents; '*' for those that are no letters.
constexpr std::string_view base_letters =
    "aaaaaaaceeeeiiiidnooooo*ouuuuytsaaaaaaaceeeeiiiidnooooo*ouuuuyty"
    "aaaaaaccccccccddddeeeeeeeeeegggggggghhhhiiiiiiiiiiiijjkkklllllll"
    "lllnnnnnnnnnoooooooorrrrrrssssssssttttttuuuuuuuuuuuuwwyyyzzzzzzs";
constexpr unsigned base_letters_begin = 0xc0;
static_assert(base_letters.size() == 0x180 - base_letters_begin);

/// A run of digits without leading zeros.
std::string_view take_number(std::string_view& text) {
    std::size_t end = 0;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) {
        ++end;
    }
    std::string_view number = text.substr(0, end);
    text.remove_prefix(end);
    number.remove_prefix(std::min(number.find_first_not_of('0'), number.size()));
    return number;
}

std::strong_ordering compare_numbers_in(std::string_view a, std::string_view b) {
    bool const both_negative = a.starts_with('-') && b.starts_with('-');
    if (a.starts_with('-') != b.starts_with('-')) {
        return a.starts_with('-') ? std::strong_ordering::less : std::strong_ordering::greater;
    }
    if (both_negative) {
        return compare_numbers_in(b.substr(1), a.substr(1));
    }
    auto const begins_number = [](std::string_view text) {
        return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0;
    };
    while (!a.empty() && !b.empty()) {
        if (begins_number(a) && begins_number(b)) {
            std::string_view const left = take_number(a);
            std::string_view const right = take_number(b);
            if (left.size() != right.size()) {
                return left.size() <=> right.size();
            }
            if (left != right) {
                return left <=> right;
            }
            continue;
        }
        if (a.front() != b.front()) {
            return static_cast<unsigned char>(a.front()) <=> static_cast<unsigned char>(b.front());
        }
        a.remove_prefix(1);
        b.remove_prefix(1);
    }
    return a.size() <=> b.size();
}

std::uint64_t magnitude(CellType const& type, std::uint64_t word) {
    if (type.kind == CellKind::floating) {
        return word & ~(std::uint64_t{1} << 63);
    }
    return std::bit_cast<std::int64_t>(word) < 0 ? 0 - word : word;
}

/// The text reduced to what dictionaries compare; see CellReading::by_letters.
std::string letters_of(std::string_view text) {
    std::string letters;
    for (std::size_t i = 0; i < text.size(); ++i) {
        auto const byte = static_cast<unsigned char>(text[i]);
        if (byte < 0x80) {
            letters += std::isalnum(byte) != 0 ? std::string(1, lower_case(text[i])) : "";
            continue;
        }
        unsigned const code =
            i + 1 < text.size() && byte >= 0xc3 && byte <= 0xc5
                ? (byte & 0x1fU) << 6U | (static_cast<unsigned char>(text[i + 1]) & 0x3fU)
                : 0;
        if (code >= base_letters_begin && code < base_letters_begin + base_letters.size()) {
            letters += base_letters[code - base_letters_begin];
            ++i;
        } else {
            letters += text[i];
        }
    }
    return letters;
}

/// \pre neither is null
std::strong_ordering
compare_readings(KeyVariant const& key, RowTable::Place const& a, RowTable::Place const& b) {
    CellType const& type = key.order.type;
    ColumnChunk const& left = a.batch->columns[key.order.column];
    ColumnChunk const& right = b.batch->columns[key.order.column];
    switch (key.reading) {
    case CellReading::plain:
        break;
    case CellReading::without_case:
        return lower_case(left.sequence(a.row)) <=> lower_case(right.sequence(b.row));
    case CellReading::by_letters:
        return letters_of(left.sequence(a.row)) <=> letters_of(right.sequence(b.row));
    case CellReading::as_text:
        return cell_text(type, left, a.row).value_or("") <=>
               cell_text(type, right, b.row).value_or("");
    case CellReading::as_numbers:
        return compare_numbers_in(left.sequence(a.row), right.sequence(b.row));
    case CellReading::as_unsigned:
        return word_of(type, left, a.row) <=> word_of(type, right, b.row);
    case CellReading::by_magnitude:
        return magnitude(type, word_of(type, left, a.row)) <=>
               magnitude(type, word_of(type, right, b.row));
    }
    return std::strong_ordering::equal;
}

} // namespace

bool is_reading_of(CellReading reading, CellType const& type) {
    bool const is_signed = type.kind == CellKind::signed_integer || type.kind == CellKind::floating;
    switch (reading) {
    case CellReading::plain:
        return true;
    case CellReading::without_case:
    case CellReading::by_letters:
    case CellReading::as_numbers:
        return type.is_sequence();
    case CellReading::as_text:
        return is_signed || type.kind == CellKind::unsigned_integer ||
               type.kind == CellKind::decimal;
    case CellReading::as_unsigned:
    case CellReading::by_magnitude:
        return is_signed;
    }
    return false;
}

std::strong_ordering
compare_by(std::span<KeyVariant const> keys, RowTable::Place const& a, RowTable::Place const& b) {
    for (KeyVariant const& key : keys) {
        std::uint8_t const left = order_words(key.order, *a.batch, a.row).rank;
        std::uint8_t const right = order_words(key.order, *b.batch, b.row).rank;
        auto order = left <=> right;
        if (order == std::strong_ordering::equal && left == 1) {
            if (key.reading == CellReading::plain) {
                order = compare_cells(key.order, a, b);
            } else {
                order = compare_readings(key, a, b);
                order = key.order.direction == Direction::ascending ? order : 0 <=> order;
            }
        }
        if (order != std::strong_ordering::equal) {
            return order;
        }
    }
    return std::strong_ordering::equal;
}

std::optional<std::uint64_t> rising_steps(std::span<KeyVariant const> keys, RowTable const& table) {
    std::uint64_t rising = 0;
    RowTable::Place last{nullptr, 0};
    for (RowBatch const& batch : table.batches()) {
        for (std::uint64_t row = 0; row < batch.row_count; ++row) {
            if (row % block_rows == 0) {
                poll_interruption();
            }
            RowTable::Place const place{&batch, row};
            if (last.batch != nullptr) {
                auto const order = compare_by(keys, last, place);
                if (order > 0) {
                    return std::nullopt;
                }
                rising += order < 0 ? 1 : 0;
            }
            last = place;
        }
    }
    return rising;
}

} // namespace keyswap::model
