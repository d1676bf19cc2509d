#pragma once

/// \file Random words as a pure function of seed and position, so that any thread or GPU can
/// generate any part of a sequence independently of the rest.
/// Source: Salmon, Moraes, Dror, Shaw: Parallel random numbers: as easy as 1, 2, 3 (SC 2011),
/// generator Philox4x32 with 10 rounds.

#include "model/distributions/philox.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// Incremented whenever the same seed gives different keys. Version 1 rounded the ranks of ordered
/// keys down; since version 2 they are exact if n is a power of two.
inline constexpr int generator_version = 2;

/// The sequence of one seed: block b is philox({b mod 2^32, b / 2^32, stream, 0}, {seed mod 2^32,
/// seed / 2^32}).
class CounterGenerator {
  public:
    /// \param stream different streams of one seed are independent; keys use stream 0
    explicit constexpr CounterGenerator(std::uint64_t seed, std::uint32_t stream = 0)
        : key_{static_cast<std::uint32_t>(seed), static_cast<std::uint32_t>(seed >> 32)},
          stream_(stream) {}

    /// The four words of block `index`.
    [[nodiscard]] constexpr PhiloxCounter block(std::uint64_t index) const {
        return philox({static_cast<std::uint32_t>(index),
                       static_cast<std::uint32_t>(index >> 32),
                       stream_,
                       0},
                      key_);
    }
    /// Word i of the sequence: word i mod 4 of block i / 4.
    [[nodiscard]] constexpr std::uint32_t word32(std::uint64_t index) const {
        return block(index / 4)[index % 4];
    }
    /// Words 2i (lower half) and 2i + 1 of the sequence combined.
    [[nodiscard]] constexpr std::uint64_t word64(std::uint64_t index) const {
        PhiloxCounter const words = block(index / 2);
        std::size_t const first = 2 * (index % 2);
        return words[first] | std::uint64_t{words[first + 1]} << 32;
    }
    /// Fills `words` with word32(first), word32(first + 1), ...
    void fill(std::uint64_t first, std::span<std::uint32_t> words) const;
    /// Fills `words` with word64(first), word64(first + 1), ...
    void fill(std::uint64_t first, std::span<std::uint64_t> words) const;

  private:
    PhiloxKey key_;
    std::uint32_t stream_;
};

} // namespace keyswap::model
