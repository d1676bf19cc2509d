#pragma once

/// \file Copies many pieces of arrays by one kernel. A copy engine needs some microseconds per copy
/// in addition to the transfer, which dominates for small pieces.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Consecutive elements of a GPU with a common destination. Null: no such array.
struct Piece {
    std::uint64_t begin = 0; ///< position among all pieces and gaps; see place_piece()
    std::uint64_t count = 0;
    void const* keys = nullptr;
    void* keys_to = nullptr;
    void const* values = nullptr;
    void* values_to = nullptr;
};

/// Aligns a piece so that warps write whole lines of the destination's memory, with a gap of less
/// than a line after previous pieces: links transfer two partial lines as two packets.
/// \return next free position
[[nodiscard]] inline std::uint64_t
place_piece(Piece& piece, std::uint64_t at, std::size_t element_bytes) {
    constexpr std::size_t line_bytes = 128;
    std::uint64_t const line = line_bytes / element_bytes;
    std::uint64_t const in_line =
        reinterpret_cast<std::uintptr_t>(piece.keys_to) / element_bytes % line;
    piece.begin = at + (in_line + line - at % line) % line;
    return piece.begin + piece.count;
}

/// \param pieces [count] device, with positions from place_piece()
/// \param places total of pieces and gaps
/// \param key_bytes 4 or 8 \param value_bytes 0, 4 or 8
/// \pre the current device can write to all destinations
void launch_piece_copies(cudaStream_t stream,
                         Piece const* pieces,
                         std::uint32_t count,
                         std::uint64_t places,
                         int key_bytes,
                         int value_bytes);

} // namespace keyswap::kernels
