#pragma once

/// \file What a set of elements holds, whatever their order, in two words: cheap enough that a GPU
/// adds up all keys while it reads them. The digests of traces take twice the instructions.

#include "traces/records/digest.hpp"
#include "traces/records/key_image.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// Sums over elements, modulo 2^64. Equal sets have equal digests of one seed; sets that differ by
/// chance have equal ones with a probability of about 2^-100.
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

/// Of an element without a value.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_of_key(KeyImage image,
                                                                      std::uint64_t seed) {
    std::uint64_t const low = mix_bits(image.low + seed);
    return image.high == 0 ? low : mix_bits(low ^ mix_bits(image.high - seed));
}

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t hash_with_value(std::uint64_t key_hash,
                                                                          std::uint64_t value) {
    return mix_bits(key_hash + (value + 1) * 0x9e3779b97f4a7c15ULL);
}

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr ArrayDigest array_digest(std::uint64_t hash) {
    return {1, hash, (hash >> 32) * (hash & 0xffffffffU)};
}

} // namespace keyswap::kernels
