#pragma once

/// \file Views of cells, in the buffers of Arrow or NumPy, or in memory of a table.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace keyswap::model {

/// Reads a number that may lie anywhere.
template <class T>
[[nodiscard]] T load(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// Cells of one column that lie together. Numbers are little-endian, and need no alignment.
struct ColumnChunk {
    std::byte const* cells = nullptr; ///< the first cell; of booleans the byte with the first bit,
                                      ///< of text and bytes what offsets count from
    std::ptrdiff_t stride_bytes = 0;  ///< from a cell of fixed size to the next
    std::uint64_t first_bit = 0;      ///< of booleans: within the bytes of `cells`
    std::byte const* offsets = nullptr; ///< of text and bytes: cell_count + 1 ends of cells
    bool wide_offsets = false;          ///< of 64 bits each, else of 32
    std::byte const* valid = nullptr;   ///< a bit a cell, 0 for a null; nullptr: no nulls
    std::uint64_t first_valid_bit = 0;  ///< within the bytes of `valid`

    [[nodiscard]] bool is_null(std::uint64_t row) const {
        return valid != nullptr && !bit_at(valid, first_valid_bit + row);
    }
    [[nodiscard]] bool boolean(std::uint64_t row) const { return bit_at(cells, first_bit + row); }
    /// The bytes of a cell of text or bytes.
    [[nodiscard]] std::string_view sequence(std::uint64_t row) const {
        std::uint64_t const begin = end_before(row);
        std::uint64_t const size = end_before(row + 1) - begin;
        return size == 0 ? std::string_view{}
                         : std::string_view(reinterpret_cast<char const*>(cells) + begin, size);
    }

  private:
    [[nodiscard]] std::uint64_t end_before(std::uint64_t row) const {
        return wide_offsets ? load<std::uint64_t>(offsets + 8 * row)
                            : std::uint64_t{load<std::uint32_t>(offsets + 4 * row)};
    }
    [[nodiscard]] static bool bit_at(std::byte const* bits, std::uint64_t index) {
        return (static_cast<unsigned>(bits[index / 8]) >> (index % 8) & 1U) != 0;
    }
};

/// Cells of fixed size, such as a NumPy array.
[[nodiscard]] inline ColumnChunk fixed_cells(std::byte const* first, std::ptrdiff_t stride_bytes) {
    ColumnChunk chunk;
    chunk.cells = first;
    chunk.stride_bytes = stride_bytes;
    return chunk;
}

} // namespace keyswap::model
