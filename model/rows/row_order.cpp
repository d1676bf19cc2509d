#include "model/rows/row_order.hpp"

#include "model/rows/table/cell.hpp"
#include "model/rows/table/row_words.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

KeyType word_type(CellType const& type) {
    return type.kind == CellKind::floating           ? KeyType::f64
           : type.kind == CellKind::unsigned_integer ? KeyType::u64
           : type.kind == CellKind::boolean          ? KeyType::u64
                                                     : KeyType::i64;
}

std::strong_ordering directed(ColumnOrder const& order, std::strong_ordering ascending) {
    return order.direction == Direction::ascending ? ascending : 0 <=> ascending;
}

} // namespace

ColumnOrder column_order(std::size_t column,
                         CellType const& type,
                         SortKey const& key,
                         ZeroOrder zero_order,
                         NanOrder nan_order) {
    return {column,
            type,
            key.direction,
            key.nulls,
            image_rule<std::uint64_t>(word_type(type), key.direction, zero_order, nan_order)};
}

OrderWords order_words(ColumnOrder const& order, RowBatch const& batch, std::uint64_t row) {
    ColumnChunk const& chunk = batch.columns[order.column];
    if (order.type.kind == CellKind::null || chunk.is_null(row)) {
        return {static_cast<std::uint8_t>(order.nulls == NullPlace::first ? 0 : 2), 0, 0};
    }
    std::uint64_t const flip = order.rule.order_flip;
    if (order.type.is_sequence()) {
        return {1, prefix_word(chunk.sequence(row)) ^ flip, 0};
    }
    if (order.type.kind == CellKind::decimal) {
        constexpr uint128 sign = uint128{1} << 127;
        KeyImage const image = key_image(static_cast<uint128>(decimal_of(chunk, row)) ^ sign);
        return {1, image.high ^ flip, image.low ^ flip};
    }
    return {1, order_by(order.rule, word_of(order.type, chunk, row)), 0};
}

std::strong_ordering
compare_cells(ColumnOrder const& order, RowTable::Place const& a, RowTable::Place const& b) {
    OrderWords const words = order_words(order, *a.batch, a.row);
    auto const by_words = words <=> order_words(order, *b.batch, b.row);
    if (by_words != std::strong_ordering::equal || !order.type.is_sequence() || words.rank != 1) {
        return by_words;
    }
    return directed(order,
                    a.batch->columns[order.column].sequence(a.row) <=>
                        b.batch->columns[order.column].sequence(b.row));
}

std::strong_ordering compare_rows(std::span<ColumnOrder const> orders,
                                  RowTable::Place const& a,
                                  RowTable::Place const& b) {
    for (ColumnOrder const& order : orders) {
        if (auto const step = compare_cells(order, a, b); step != 0) {
            return step;
        }
    }
    return std::strong_ordering::equal;
}

void DescentScan::load(ColumnOrder const& order, RowBatch const& batch, std::uint64_t first) {
    ColumnChunk const& chunk = batch.columns[order.column];
    if (order.type.is_sequence()) {
        for (std::size_t i = 0; i < words_.size(); ++i) {
            words_[i] = prefix_word(chunk.sequence(first + i)) ^ order.rule.order_flip;
        }
        return;
    }
    load_words(order.type, chunk, first, words_);
    for (std::uint64_t& word : words_) {
        word = order_by(order.rule, word);
    }
}

Descents DescentScan::scan(RowBatch const& batch, std::uint64_t first, std::uint64_t count) {
    words_.resize(count);
    steps_.assign(count, 0);
    bool undecided = count > 1;
    for (auto const& order : orders_) {
        if (!undecided) {
            break;
        }
        bool const has_nulls =
            order.type.kind == CellKind::null || batch.columns[order.column].valid != nullptr;
        bool const by_cell = has_nulls || order.type.kind == CellKind::decimal;
        if (!by_cell) {
            load(order, batch, first);
        }
        undecided = false;
        for (std::size_t i = 1; i < count; ++i) {
            if (steps_[i] != 0) {
                continue;
            }
            auto step = std::strong_ordering::equal;
            if (by_cell) {
                step = compare_cells(order, {&batch, first + i - 1}, {&batch, first + i});
            } else {
                step = words_[i - 1] <=> words_[i];
                if (step == std::strong_ordering::equal && order.type.is_sequence()) {
                    step = compare_cells(order, {&batch, first + i - 1}, {&batch, first + i});
                }
            }
            steps_[i] = static_cast<std::int8_t>(step < 0 ? 1 : step > 0 ? -1 : 0);
            undecided = undecided || step == std::strong_ordering::equal;
        }
    }
    Descents descents;
    for (std::size_t i = 1; i < count; ++i) {
        if (steps_[i] < 0) {
            ++descents.count;
            descents.first = descents.first.value_or(batch.first_row + first + i);
        }
    }
    return descents;
}

Expected<std::vector<ColumnOrder>> column_orders(RowTable const& table,
                                                 SortKeys const& keys,
                                                 ZeroOrder zero_order,
                                                 NanOrder nan_order) {
    if (keys.empty()) {
        return input_error(
            table.name(), "has no key columns to sort by", "name at least one column");
    }
    std::vector<ColumnOrder> orders;
    for (SortKey const& key : keys) {
        KEYSWAP_TRY(auto const column, table.column_named(key.column));
        if (std::ranges::find(orders, column, &ColumnOrder::column) != orders.end()) {
            return input_error("column '" + printable_text(key.column) + "'",
                               "is named twice as a key",
                               "name each key column once");
        }
        orders.push_back(
            column_order(column, table.columns()[column].type, key, zero_order, nan_order));
    }
    return orders;
}

} // namespace keyswap::model
