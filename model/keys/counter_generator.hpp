#pragma once

/// \file Random words as a pure function of seed and position, so that any thread, or a GPU, makes
/// any part of a sequence without the rest.
/// Source: Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011),
/// generator Philox4x32 with 10 rounds.

#include "model/keys/philox.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// Changes whenever a seed would give other keys. Version 1 rounded the ranks of ordered keys down;
/// since version 2 they are exact where n is a power of two.
inline constexpr int generator_version = 2;

/// The words of one seed: block b is philox({b mod 2^32, b / 2^32, stream, 0}, {seed mod 2^32,
/// seed / 2^32}).
class CounterGenerator {
  public:
    /// \param stream sequences of one seed with different streams are independent; keys use 0
    explicit constexpr CounterGenerator(std::uint64_t seed, std::uint32_t stream = 0)
        : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          stream_(stream) {}

    /// Four words.
    [[nodiscard]] constexpr PhiloxCounter block(std::uint64_t index) const {
        return philox({static_cast<std::uint32_t>(index),
                       static_cast<std::uint32_t>(index >> 32),
                       stream_,
                       0},
                      key_);
    }
    /// Word i: of block i / 4, its word i mod 4.
    [[nodiscard]] constexpr std::uint32_t word32(std::uint64_t index) const {
        return block(index / 4)[index % 4];
    }
    /// Two words as one: words 2i (lower half) and 2i + 1 of the sequence.
    [[nodiscard]] constexpr std::uint64_t word64(std::uint64_t index) const {
        PhiloxCounter const words = block(index / 2);
        std::size_t const first = 2 * (index % 2);
        return words[first] | std::uint64_t{words[first + 1]} << 32;
    }
    /// word32(first) .. for the whole of `words`.
    void fill(std::uint64_t first, std::span<std::uint32_t> words) const;
    /// word64(first) .. for the whole of `words`.
    void fill(std::uint64_t first, std::span<std::uint64_t> words) const;

  private:
    PhiloxKey key_;
    std::uint32_t stream_;
};

} // namespace keyswap::model
