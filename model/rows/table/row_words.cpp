#include "model/rows/table/row_words.hpp"

#include "model/rows/table/cell.hpp"

#include <algorithm>
#include <cstring>

namespace keyswap::model {

namespace {

template <class T>
void load_as(ColumnChunk const& chunk, std::uint64_t first, std::span<std::uint64_t> words) {
    std::byte const* const from = cell_of(chunk, first);
    if (chunk.stride_bytes == sizeof(T)) { // constant stride: lets the compiler vectorize
        for (std::size_t i = 0; i < words.size(); ++i) {
            words[i] = static_cast<std::uint64_t>(load<T>(from + i * sizeof(T)));
        }
        return;
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = static_cast<std::uint64_t>(
            load<T>(from + static_cast<std::ptrdiff_t>(i) * chunk.stride_bytes));
    }
}

} // namespace

void load_words(CellType const& type,
                ColumnChunk const& chunk,
                std::uint64_t first,
                std::span<std::uint64_t> words) {
    bool const is_signed = type.kind != CellKind::unsigned_integer;
    bool const is_whole = type.kind != CellKind::boolean && type.kind != CellKind::floating;
    if (type.size_bytes == 8 && type.kind != CellKind::boolean) {
        return load_as<std::uint64_t>(chunk, first, words);
    }
    if (is_whole && type.size_bytes == 4) {
        return is_signed ? load_as<std::int32_t>(chunk, first, words)
                         : load_as<std::uint32_t>(chunk, first, words);
    }
    for (std::size_t i = 0; i < words.size(); ++i) {
        words[i] = word_of(type, chunk, first + i);
    }
}

std::uint64_t prefix_word(std::string_view text) {
    std::uint64_t word = 0;
    if (!text.empty()) {
        std::memcpy(&word, text.data(), std::min(text.size(), sizeof(word)));
    }
    return __builtin_bswap64(word);
}

} // namespace keyswap::model
