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

/// Every bit of the result depends on every bit of a product: folded in halves, which takes no
/// shifts, and multiplied once more.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t mixed_product(std::uint64_t product) {
    product ^= product >> 32;
    product *= 0xbf58476d1ce4e5b9ULL;
    return product ^ product >> 32;
}

/// Of an element without a value. An image of 32 bits takes one product less where the compiler
/// knows its width.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_of_key(KeyImage image,
                                                                      std::uint64_t seed) {
    constexpr std::uint64_t factor = 0x9e3779b97f4a7c15ULL;
    std::uint64_t const low = mixed_product(image.low * factor + seed);
    return image.high == 0 ? low : mixed_product((image.high ^ low) * factor - seed);
}

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_with_value(std::uint64_t key_hash,
                                                                          std::uint64_t value) {
    return mixed_product(key_hash + (value + 1) * 0xd1b54a32d192ed03ULL);
}

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr ArrayDigest array_digest(std::uint64_t hash) {
    return {1, hash, (hash >> 32) * (hash & 0xffffffffU)};
}

} // namespace keyswap::kernels
