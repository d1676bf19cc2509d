#include "model/rows/key_encoding.hpp"

#include <algorithm>
#include <bit>
#include <numeric>
#include <string_view>

namespace keyswap::model {

namespace {

constexpr int key_bits_max = 128;

int bit_width(uint128 number) {
    KeyImage const image = key_image(number);
    return static_cast<int>(image.high != 0 ? 64 + std::bit_width(image.high)
                                            : std::bit_width(image.low));
}

/// Bits that the cells of a column need.
struct ColumnBits {
    uint128 least = ~uint128{0};
    uint128 most = 0;
    std::size_t longest = 0; ///< longest text, in bytes
    bool has_nulls = false;
    bool has_cells = false;
    bool has_zero_bytes = false; ///< in text, where zeros pad shorter cells

    [[nodiscard]] int cell_bits() const { return has_cells ? bit_width(most - least) : 0; }
    [[nodiscard]] int bits() const { return cell_bits() + (has_nulls ? 1 : 0); }
};

template <class Visit>
void visit_places(RowTable const& table, Visit visit) {
    for (RowBatch const& batch : table.batches()) {
        for (std::uint64_t row = 0; row < batch.row_count; ++row) {
            visit(RowTable::Place{&batch, row});
        }
    }
}

/// The first 16 bytes of a text, or the words of another cell, as one integer.
uint128 number_of(ColumnOrder const& order, RowTable::Place const& place, OrderWords const& words) {
    if (!order.type.is_sequence()) {
        return order.type.kind == CellKind::decimal ? wide({words.high, words.low}) : words.high;
    }
    std::string_view const text = place.batch->columns[order.column].sequence(place.row);
    uint128 number = 0;
    for (std::size_t i = 0; i < sizeof(number); ++i) {
        number = number << 8 | (i < text.size() ? static_cast<unsigned char>(text[i]) : 0U);
    }
    return order.direction == Direction::ascending ? number : ~number;
}

ColumnBits bits_of(RowTable const& table, ColumnOrder const& order) {
    ColumnBits bits;
    visit_places(table, [&](RowTable::Place const& place) {
        OrderWords const words = order_words(order, *place.batch, place.row);
        if (words.rank != 1) {
            bits.has_nulls = true;
            return;
        }
        if (order.type.is_sequence()) {
            auto const text = place.batch->columns[order.column].sequence(place.row);
            bits.longest = std::max(bits.longest, text.size());
            bits.has_zero_bytes = bits.has_zero_bytes || text.find('\0') != std::string_view::npos;
        }
        uint128 const number = number_of(order, place, words);
        bits.least = std::min(bits.least, number);
        bits.most = std::max(bits.most, number);
        bits.has_cells = true;
    });
    // Text is left-aligned: drop the low bytes that no cell uses.
    if (order.type.is_sequence() && bits.has_cells && bits.longest <= sizeof(uint128)) {
        auto const unused = static_cast<int>(8 * (sizeof(uint128) - bits.longest));
        if (unused == key_bits_max) {
            bits.least = bits.most = 0;
        } else {
            bits.least >>= unused;
            bits.most >>= unused;
        }
    }
    return bits;
}

uint128 shifted(uint128 number, int bits) {
    return bits >= key_bits_max ? 0 : number << bits;
}

} // namespace

EncodedKeys encode_keys(RowTable const& table, std::span<ColumnOrder const> orders) {
    EncodedKeys encoded;
    std::vector<ColumnBits> columns;
    bool fits = true;
    for (ColumnOrder const& order : orders) {
        columns.push_back(bits_of(table, order));
        ColumnBits const& bits = columns.back();
        bool const is_long = order.type.is_sequence() && bits.longest > sizeof(uint128);
        fits = fits && !bits.has_zero_bytes && !is_long;
        encoded.bits += is_long
                            ? static_cast<int>(std::min<std::size_t>(8 * bits.longest, 1U << 20))
                            : bits.bits();
    }
    if (!fits || encoded.bits > key_bits_max) {
        return encoded;
    }
    encoded.keys.reserve(table.row_count());
    visit_places(table, [&](RowTable::Place const& place) {
        uint128 key = 0;
        for (std::size_t i = 0; i < orders.size(); ++i) {
            ColumnOrder const& order = orders[i];
            ColumnBits const& bits = columns[i];
            OrderWords const words = order_words(order, *place.batch, place.row);
            if (bits.has_nulls) {
                bool const cell_is_greater = order.nulls == NullPlace::first;
                bool const is_null = words.rank != 1;
                key = shifted(key, 1) | (is_null != cell_is_greater ? 1U : 0U);
            }
            uint128 number = 0;
            if (words.rank == 1) {
                number = number_of(order, place, words);
                if (order.type.is_sequence()) {
                    auto const unused = static_cast<int>(8 * (sizeof(uint128) - bits.longest));
                    number = unused == key_bits_max ? 0 : number >> unused;
                }
                number -= bits.least;
            }
            key = shifted(key, bits.cell_bits()) | number;
        }
        encoded.keys.push_back(key);
    });
    return encoded;
}

std::vector<std::uint64_t> sorted_rows(RowTable const& table, std::span<ColumnOrder const> orders) {
    std::vector<std::uint64_t> rows(table.row_count());
    std::iota(rows.begin(), rows.end(), std::uint64_t{0});
    std::ranges::stable_sort(rows, [&](std::uint64_t a, std::uint64_t b) {
        return compare_rows(orders, table.place_of(a), table.place_of(b)) < 0;
    });
    return rows;
}

} // namespace keyswap::model
