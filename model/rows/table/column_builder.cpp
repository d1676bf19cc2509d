#include "model/rows/table/column_builder.hpp"

#include "model/rows/table/cell.hpp"

#include <memory>
#include <utility>

namespace keyswap::model {

namespace {

void add_bit(std::vector<std::byte>& bits, std::uint64_t index, bool bit) {
    if (index % 8 == 0) {
        bits.push_back(std::byte{0});
    }
    if (bit) {
        bits.back() |= std::byte{1} << static_cast<int>(index % 8);
    }
}

} // namespace

void ColumnBuilder::end_cell(bool valid) {
    if (type_.is_sequence()) {
        memory_.offsets.push_back(memory_.cells.size());
    }
    add_bit(memory_.valid, row_count_, valid);
    has_nulls_ = has_nulls_ || !valid;
    ++row_count_;
}

void ColumnBuilder::add_bytes(std::span<std::byte const> bytes) {
    memory_.cells.insert(memory_.cells.end(), bytes.begin(), bytes.end());
}

void ColumnBuilder::add_null() {
    if (type_.kind == CellKind::boolean) {
        add_bit(memory_.cells, row_count_, false);
    }
    memory_.cells.resize(memory_.cells.size() + type_.size_bytes);
    end_cell(false);
}

void ColumnBuilder::add_word(std::uint64_t word) {
    if (type_.kind == CellKind::boolean) {
        add_bit(memory_.cells, row_count_, word != 0);
    } else {
        add_bytes(std::as_bytes(std::span(&word, 1)).first(type_.size_bytes));
    }
    end_cell(true);
}

void ColumnBuilder::add_decimal(int128 value) {
    add_bytes(std::as_bytes(std::span(&value, 1)));
    end_cell(true);
}

void ColumnBuilder::add_sequence(std::string_view cell) {
    add_bytes(std::as_bytes(std::span(cell.data(), cell.size())));
    end_cell(true);
}

void ColumnBuilder::add_cell(ColumnChunk const& chunk, std::uint64_t row) {
    if (type_.kind == CellKind::null || chunk.is_null(row)) {
        add_null();
    } else if (type_.is_sequence()) {
        add_sequence(chunk.sequence(row));
    } else if (type_.kind == CellKind::boolean) {
        add_word(chunk.boolean(row) ? 1 : 0);
    } else {
        add_bytes(std::span(cell_of(chunk, row), type_.size_bytes));
        end_cell(true);
    }
}

ColumnChunk ColumnBuilder::take() {
    auto const memory = std::make_shared<Memory>(std::exchange(memory_, {}));
    ColumnChunk built =
        fixed_cells(memory->cells.data(), static_cast<std::ptrdiff_t>(type_.size_bytes));
    if (type_.is_sequence()) {
        built.offsets = std::as_bytes(std::span(memory->offsets)).data();
        built.wide_offsets = true;
    }
    built.valid = std::exchange(has_nulls_, false) ? memory->valid.data() : nullptr;
    built.owner = memory;
    row_count_ = 0;
    return built;
}

} // namespace keyswap::model
