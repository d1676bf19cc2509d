#include "model/rows/table/row_table.hpp"

#include "model/rows/table/cell.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/printable_text.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace keyswap::model {

namespace {

constexpr std::size_t text_shown_max = 40;

} // namespace

void RowTable::add(RowBatch batch) {
    KEYSWAP_EXPECTS(batch.columns.size() == columns_.size());
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
            return input_error(name_,
                               "has two columns '" + printable_text(wanted) + "'",
                               "give the column its number");
        }
        return static_cast<std::size_t>(found - columns_.begin());
    }
    std::uint64_t const number = parsed_number<std::uint64_t>(wanted).value_or(0);
    if (number >= 1 && number <= columns_.size()) {
        return number - 1;
    }
    KnownNames const known(columns_,
                           [](ColumnInfo const& column) { return printable_text(column.name); });
    return input_error(name_,
                       "has no column '" + printable_text(wanted) + "'",
                       known.remedy(wanted, "its columns: "));
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
            --end; // not on a character boundary
        }
        text->resize(end);
    }
    return "'" + printable_text(*text) + (is_long ? "...'" : "'");
}

} // namespace keyswap::model
