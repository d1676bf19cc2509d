#pragma once

/// \file What a set of elements holds, whatever their order, in two words: cheap enough that a GPU
/// adds up all keys while it reads them. The digests of traces take five times the instructions.

#include "kernels/device/key_image.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Sums over elements, modulo 2^64. Equal sets have equal digests of one seed. Sets that differ by
/// accident have different ones (the sums are of two words that mix all bits); someone who knows
/// the seed can make sets that have not.
struct ArrayDigest {
    std::uint64_t count = 0;
    std::uint64_t words = 0;    ///< of each element's hash
    std::uint64_t products = 0; ///< of the two halves of each hash

    friend bool operator==(ArrayDigest const&, ArrayDigest const&) = default;

    KEYSWAP_HOST_DEVICE constexpr ArrayDigest& operator+=(ArrayDigest const& other) {
        count += other.count;
        words += other.words;
        products += other.products;
        return *this;
    }
};

/// Every bit of the result depends on every bit of the word: two products, folded in halves.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_of_word(std::uint64_t word) {
    word *= 0x9e3779b97f4a7c15ULL;
    word ^= word >> 32;
    word *= 0xbf58476d1ce4e5b9ULL;
    return word ^ word >> 32;
}

/// Of a key of 32 bits without a value, by products of 32 bits: half the instructions. Source of
/// the constants: the finalizer of MurmurHash3 (Appleby).
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_of_image(std::uint32_t image,
                                                                        std::uint64_t seed) {
    std::uint32_t word = image + static_cast<std::uint32_t>(seed);
    word = (word ^ word >> 16) * 0x85ebca6bU;
    word = (word ^ word >> 13) * 0xc2b2ae35U;
    std::uint32_t const other =
        (word ^ word >> 16) * 0x9e3779b1U + static_cast<std::uint32_t>(seed >> 32);
    return std::uint64_t{word} << 32 | (other ^ other >> 15);
}

/// Of a wider key without a value.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_of_image(std::uint64_t image,
                                                                        std::uint64_t seed) {
    return hash_of_word(image + seed);
}
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_of_image(WideImage image,
                                                                        std::uint64_t seed) {
    KeyImage const halves = key_image(image);
    return hash_of_word(hash_of_word(halves.low + seed) ^ hash_of_word(halves.high - seed));
}

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_with_value(std::uint64_t key_hash,
                                                                          std::uint64_t value) {
    return hash_of_word(key_hash + (value + 1) * 0xd1b54a32d192ed03ULL);
}

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr ArrayDigest array_digest(std::uint64_t hash) {
    return {1, hash, (hash >> 32) * (hash & 0xffffffffU)};
}

} // namespace keyswap::kernels
