#pragma once

/// \file Cells of a block of rows as 64-bit words, for loops over columns.

#include "model/rows/row_table.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// Rows that are read at once, so that their words fit in the L2 of one core.
inline constexpr std::uint64_t block_rows = 4096;

/// Writes word_of() of each row; anything for nulls. \pre as word_of()
void load_words(CellType const& type,
                ColumnChunk const& chunk,
                std::uint64_t first,
                std::span<std::uint64_t> words);

/// The first 8 bytes of text as a number that orders as they do; shorter text ends in zeros.
[[nodiscard]] std::uint64_t prefix_word(std::string_view text);

} // namespace keyswap::model
