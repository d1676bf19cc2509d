#pragma once

/// \file In how many pieces a GPU's keys come from host memory and go back to it. Plain C++; the
/// simulator reads it too.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

namespace keyswap::kernels {

/// What is counted once all keys have come is the last piece: an eighth of them.
inline constexpr std::size_t upload_pieces_max = 8;
/// Keys of a GPU that are worth it: counting 2^23 keys of 4 bytes takes some 15 us, as long as
/// the launches of the pieces. On the way back a piece takes some 0.1 ms however few keys it has.
inline constexpr std::uint64_t keys_worth_upload_pieces = std::uint64_t{1} << 23;

/// \param keys of the chunk \param keys_min from which there are several pieces; nothing: as above
/// \return none where there are no keys; no piece is empty
[[nodiscard]] constexpr std::size_t upload_piece_count(std::uint64_t keys,
                                                       std::optional<std::uint64_t> keys_min) {
    std::uint64_t const least =
        std::max<std::uint64_t>(keys_min.value_or(keys_worth_upload_pieces), upload_pieces_max);
    return keys == 0 ? 0 : keys < least ? 1 : upload_pieces_max;
}

/// Where a piece begins, of several that differ by one key at most.
/// \param piece `pieces` = where the last one ends
[[nodiscard]] constexpr std::uint64_t
upload_piece_begin(std::uint64_t keys, std::size_t pieces, std::size_t piece) {
    return keys / pieces * piece + std::min<std::uint64_t>(piece, keys % pieces);
}

} // namespace keyswap::kernels
