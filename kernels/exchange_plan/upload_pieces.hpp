#pragma once

/// \file The number of pieces in which a GPU's keys are uploaded from host memory and downloaded.
/// Plain C++; the simulator includes it too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// Only the last piece, an eighth of the keys, is counted after the upload has finished.
inline constexpr std::size_t upload_pieces_max = 8;
/// Fewest keys per GPU for several pieces: counting 2^23 keys of 4 bytes takes some 15 us, as long
/// as the pieces' launches. A downloaded piece takes some 0.1 ms however few keys it has.
inline constexpr std::uint64_t keys_worth_upload_pieces = std::uint64_t{1} << 23;

/// \param keys of the chunk \param keys_min for several pieces; nullopt: keys_worth_upload_pieces
/// \return 0 if there are no keys; no piece is empty
[[nodiscard]] constexpr std::size_t upload_piece_count(std::uint64_t keys,
                                                       std::optional<std::uint64_t> keys_min) {
    std::uint64_t const least =
        std::max<std::uint64_t>(keys_min.value_or(keys_worth_upload_pieces), upload_pieces_max);
    return keys == 0 ? 0 : keys < least ? 1 : upload_pieces_max;
}

/// First key of a piece; piece sizes differ by at most one key.
/// \param piece 0 to `pieces`; `pieces` gives the end of the last one
[[nodiscard]] constexpr std::uint64_t
upload_piece_begin(std::uint64_t keys, std::size_t pieces, std::size_t piece) {
    return keys / pieces * piece + std::min<std::uint64_t>(piece, keys % pieces);
}

} // namespace keyswap::kernels
