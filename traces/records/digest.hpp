#pragma once

#include <compare>
#include <cstdint>

#if defined(__CUDACC__)
#define KEYSWAP_HOST_DEVICE __host__ __device__
#else
#define KEYSWAP_HOST_DEVICE
#endif

namespace keyswap {

/// An order-independent 128-bit hash of a multiset of keys (and their values), with its size. Each
/// element is mixed into two 64-bit words, which are summed modulo 2^64, so that the digests of
/// disjoint parts add up to the digest of their union.
///
/// The mixer is the finalizer of SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom
/// number generators, OOPSLA 2014), applied under two different offsets.
struct MultisetDigest {
    std::uint64_t count = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend auto operator<=>(MultisetDigest const&, MultisetDigest const&) = default;

    KEYSWAP_HOST_DEVICE constexpr MultisetDigest& operator+=(MultisetDigest const& other) {
        count += other.count;
        low += other.low;
        high += other.high;
        return *this;
    }
};

/// One round of SplitMix64's finalizer: a bijection of 64-bit words.
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr std::uint64_t mix_bits(std::uint64_t word) {
    word ^= word >> 30;
    word *= 0xbf58476d1ce4e5b9ULL;
    word ^= word >> 27;
    word *= 0x94d049bb133111ebULL;
    word ^= word >> 31;
    return word;
}

/// Digest of a single element.
/// \param image the key's order-preserving unsigned image (traces/FORMAT.md), zero-extended
/// \param value the key's value, zero-extended; 0 for keys without values
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr MultisetDigest digest_of(std::uint64_t image,
                                                                     std::uint64_t value = 0) {
    std::uint64_t const key_low = mix_bits(image + 0x9e3779b97f4a7c15ULL);
    std::uint64_t const key_high = mix_bits(image ^ 0xd1b54a32d192ed03ULL);
    return MultisetDigest{1,
                          mix_bits(key_low + value * 0xda942042e4dd58b5ULL),
                          mix_bits(key_high ^ (value + 0x8cb92ba72f3d8dd7ULL))};
}

} // namespace keyswap
