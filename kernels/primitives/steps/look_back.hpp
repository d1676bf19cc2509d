#pragma once

/// \file Decoupled look-back between the tiles of a partitioning step: each publishes its count,
/// then sums over its predecessors until one has an inclusive sum (Adinets, Merrill: Onesweep,
/// 2022). Access to words is a parameter, so that a test can run this code in every interleaving of
/// threads on a weak memory model (proptests/worlds).

#include "traces/records/digest.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// A look-back word: a count, with a flag for its kind above it; 0 = not published yet. Count and
/// flag share a word, so no ordering of two accesses is needed.
template <class Word>
inline constexpr Word inclusive_flag = Word{1} << (sizeof(Word) * 8 - 1);
template <class Word>
inline constexpr Word partial_flag = inclusive_flag<Word> >> 1;
template <class Word>
inline constexpr Word look_back_count_mask = partial_flag<Word> - 1;

/// Sums the counts of the tiles [first_tile, tile) and publishes the sum including the tile's own.
/// \param words read(tile) returns a tile's current word, write(tile, word) publishes one
/// \param own count of the tile, already published as partial, or as inclusive by the first tile
/// \pre tiles start in the order of their indices, so that every tile waits only for running
/// tiles
template <class Word, class Words>
[[nodiscard]] KEYSWAP_HOST_DEVICE Word
look_back(Words const& words, std::uint32_t tile, std::uint32_t first_tile, Word own) {
    if (tile == first_tile) {
        return 0;
    }
    Word sum = 0;
    for (std::uint32_t previous = tile; previous > first_tile;) {
        --previous;
        Word found = words.read(previous);
        while (found == 0) {
            found = words.read(previous);
        }
        sum += found & look_back_count_mask<Word>;
        if ((found & inclusive_flag<Word>) != 0) {
            break;
        }
    }
    words.write(tile, (sum + own) | inclusive_flag<Word>);
    return sum;
}

/// The same by a warp, from tile 0 on: each lane reads one tile of a window.
/// \param lanes of the warp: index(), width, ballot(predicate), first_of(ballot), sum(value)
template <class Word, class Words, class Lanes>
[[nodiscard]] KEYSWAP_HOST_DEVICE Word
look_back_by_warp(Words const& words, Lanes const& lanes, std::uint32_t tile, Word own) {
    int const lane = lanes.index();
    Word sum = 0;
    for (std::int64_t last = static_cast<std::int64_t>(tile) - 1; last >= 0; last -= Lanes::width) {
        std::int64_t const at = last - lane;
        Word word = inclusive_flag<Word>; // no count before the first tile
        if (at >= 0) {
            do {
                word = words.read(at);
            } while (word == 0);
        }
        std::uint32_t const inclusive = lanes.ballot((word & inclusive_flag<Word>) != 0);
        // Only lanes up to the nearest inclusive word contribute.
        int const nearest = inclusive == 0 ? Lanes::width - 1 : lanes.first_of(inclusive);
        sum += lanes.sum(lane <= nearest ? word & look_back_count_mask<Word> : Word{0});
        if (inclusive != 0) {
            break;
        }
    }
    if (lane == 0 && tile != 0) {
        words.write(tile, (sum + own) | inclusive_flag<Word>);
    }
    return sum;
}

} // namespace keyswap::kernels
