#pragma once

/// \file Views of cells in the buffers of Arrow or NumPy, or in memory of a table.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace keyswap::model {

/// Loads a value from an address of any alignment.
template <class T>
[[nodiscard]] T load(std::byte const* from) {
    T value;
    std::memcpy(&value, from, sizeof(T));
    return value;
}

/// Contiguous cells of one column. Numbers are little-endian and may be unaligned.
struct ColumnChunk {
    std::byte const* cells = nullptr;   ///< first cell; booleans: byte of the first bit;
                                        ///< text and bytes: base of the offsets
    std::ptrdiff_t stride_bytes = 0;    ///< distance between cells of fixed size
    std::uint64_t first_bit = 0;        ///< booleans: index in the bytes of `cells`
    std::byte const* offsets = nullptr; ///< text and bytes: [cell_count + 1] ends
    bool wide_offsets = false;          ///< offsets have 64 bits, else 32
    std::byte const* valid = nullptr;   ///< one bit per cell, 0 = null; nullptr: none are null
    std::uint64_t first_valid_bit = 0;  ///< bit index within the bytes of `valid`
    std::shared_ptr<void const> owner;  ///< of these buffers; nullptr: they outlive the chunk

    [[nodiscard]] bool is_null(std::uint64_t row) const {
        return valid != nullptr && !bit_at(valid, first_valid_bit + row);
    }
    [[nodiscard]] bool boolean(std::uint64_t row) const { return bit_at(cells, first_bit + row); }
    /// The bytes of a text or binary cell.
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

/// A chunk of fixed-size cells without nulls, such as a NumPy array.
[[nodiscard]] inline ColumnChunk fixed_cells(std::byte const* first, std::ptrdiff_t stride_bytes) {
    ColumnChunk chunk;
    chunk.cells = first;
    chunk.stride_bytes = stride_bytes;
    return chunk;
}

} // namespace keyswap::model
