#pragma once

/// \file Loads the cells of a block of rows as 64-bit words, for loops over columns.

#include "model/rows/table/row_table.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// Rows per block, chosen so that their words fit in one core's L2.
inline constexpr std::uint64_t block_rows = 4096;

/// Writes word_of() of each row; unspecified for nulls. \pre as word_of()
void load_words(CellType const& type,
                ColumnChunk const& chunk,
                std::uint64_t first,
                std::span<std::uint64_t> words);

/// The first 8 bytes of a text as an integer that preserves their order; zero-padded.
[[nodiscard]] std::uint64_t prefix_word(std::string_view text);

} // namespace keyswap::model
