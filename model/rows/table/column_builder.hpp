#pragma once

/// \file Builds a column whose cells the table owns.

#include "model/keys/wide_integer.hpp"
#include "model/rows/table/row_table.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Appends cells one at a time.
class ColumnBuilder {
  public:
    explicit ColumnBuilder(CellType type) : type_(std::move(type)) {}

    void add_null();
    /// Appends the low bytes of an integer, or the bits of a float of the type. \pre the type has
    /// at most 8 bytes or is boolean
    void add_word(std::uint64_t word);
    /// \pre the type is decimal
    void add_decimal(int128 value);
    /// \pre the type is text or binary
    void add_sequence(std::string_view cell);
    /// Appends a copy of a cell of the same type, null or not.
    void add_cell(ColumnChunk const& chunk, std::uint64_t row);

    [[nodiscard]] CellType const& type() const { return type_; }
    /// Returns all cells, which the chunk owns; the builder is empty afterwards.
    [[nodiscard]] ColumnChunk take();

  private:
    struct Memory {
        std::vector<std::byte> cells;
        std::vector<std::uint64_t> offsets{0}; ///< of text and bytes
        std::vector<std::byte> valid;
    };

    void end_cell(bool valid);
    void add_bytes(std::span<std::byte const> bytes);

    CellType type_;
    Memory memory_;
    std::uint64_t row_count_ = 0;
    bool has_nulls_ = false;
};

} // namespace keyswap::model
