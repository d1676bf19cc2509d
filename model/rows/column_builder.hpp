#pragma once

/// \file Cells of a column that a table keeps itself.

#include "model/keys/wide_integer.hpp"
#include "model/rows/row_table.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Takes cells one after the other.
class ColumnBuilder {
  public:
    explicit ColumnBuilder(CellType type) : type_(std::move(type)) {}

    void add_null();
    /// The low bytes of a whole number, or the bits of a float of the type. \pre a type of at most
    /// 8 bytes, or booleans
    void add_word(std::uint64_t word);
    /// \pre decimals
    void add_decimal(int128 value);
    /// \pre text or bytes
    void add_sequence(std::string_view cell);
    /// A cell of the same type.
    void add_cell(ColumnChunk const& chunk, std::uint64_t row);

    [[nodiscard]] CellType const& type() const { return type_; }
    [[nodiscard]] std::uint64_t row_count() const { return row_count_; }
    /// What the cells take.
    [[nodiscard]] std::uint64_t size_bytes() const;

    struct Built {
        ColumnChunk chunk;
        std::shared_ptr<void const> owner;
    };
    /// All cells. The builder is empty afterwards.
    [[nodiscard]] Built take();

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
