#include "model/rows/column_chunk.hpp"

namespace keyswap::model {

std::string_view ColumnChunk::sequence(std::uint64_t row) const {
    auto const end_at = [this](std::uint64_t index) {
        return wide_offsets ? load<std::uint64_t>(offsets + 8 * index)
                            : std::uint64_t{load<std::uint32_t>(offsets + 4 * index)};
    };
    std::uint64_t const begin = end_at(row);
    std::uint64_t const size = end_at(row + 1) - begin;
    return size == 0 ? std::string_view{}
                     : std::string_view(reinterpret_cast<char const*>(cells) + begin, size);
}

ColumnChunk fixed_cells(std::byte const* first, std::ptrdiff_t stride_bytes) {
    ColumnChunk chunk;
    chunk.cells = first;
    chunk.stride_bytes = stride_bytes;
    return chunk;
}

} // namespace keyswap::model
