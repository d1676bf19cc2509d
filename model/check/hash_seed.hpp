#pragma once

/// \file The secret of the output checks. A check compares multisets by sums of mixed keys; anyone
/// who knows the mixer can construct multisets with equal sums. Hence every process draws its own.

#include <cstdint>

namespace keyswap::model {

/// A seeded mixer: SplitMix64's finalizer (Steele, Lea, Flood: Fast splittable pseudorandom number
/// generators, OOPSLA 2014) with its constants derived from the seed. A bijection of 64-bit words
/// for every seed.
class HashSeed {
  public:
    explicit constexpr HashSeed(std::uint64_t seed);

    [[nodiscard]] constexpr std::uint64_t number() const { return number_; }
    [[nodiscard]] constexpr std::uint64_t mix(std::uint64_t word) const {
        word += before_;
        word ^= word >> 30;
        word *= first_factor_;
        word ^= word >> 27;
        word *= second_factor_;
        word ^= word >> 31;
        return word;
    }

  private:
    std::uint64_t number_;
    std::uint64_t before_;
    std::uint64_t first_factor_;  ///< odd
    std::uint64_t second_factor_; ///< odd
};

/// The seed of this process, drawn once from the operating system's random numbers.
[[nodiscard]] HashSeed const& process_hash_seed();

constexpr HashSeed::HashSeed(std::uint64_t seed) : number_(seed) {
    // The i-th output of the SplitMix64 generator with this seed.
    auto const drawn = [seed](std::uint64_t i) {
        std::uint64_t word = seed + i * 0x9e3779b97f4a7c15ULL;
        word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9ULL;
        word = (word ^ (word >> 27)) * 0x94d049bb133111ebULL;
        return word ^ (word >> 31);
    };
    before_ = drawn(1);
    first_factor_ = drawn(2) | 1;
    second_factor_ = drawn(3) | 1;
}

} // namespace keyswap::model
