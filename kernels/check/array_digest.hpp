#pragma once

/// \file An order-independent digest of a set of elements in two words: cheap enough to compute on
/// a GPU while it reads all keys. The digests of traces take five times the instructions.

#include "kernels/device/key_image.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Sums over elements, modulo 2^64. Equal sets with the same seed have equal digests. Sets that
/// differ by accident have different ones (both words mix all bits); someone who knows the seed can
/// construct collisions.
struct ArrayDigest {
    std::uint64_t count = 0;
    std::uint64_t words = 0;    ///< sum of the elements' hashes
    std::uint64_t products = 0; ///< sum of the products of each hash's halves

    friend bool operator==(ArrayDigest const&, ArrayDigest const&) = default;

    KEYSWAP_HOST_DEVICE constexpr ArrayDigest& operator+=(ArrayDigest const& other) {
        count += other.count;
        words += other.words;
        products += other.products;
        return *this;
    }
};

/// Mixes a product so that every bit of the result depends on every bit of it: folds halves, which
/// needs no shifts on 32-bit hardware, and multiplies again.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t mixed_product(std::uint64_t product) {
    product ^= product >> 32;
    product *= 0xbf58476d1ce4e5b9ULL;
    return product ^ product >> 32;
}

/// Hash of an element without a value. Takes one product less for a 32-bit image whose width is
/// known to the compiler.
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
