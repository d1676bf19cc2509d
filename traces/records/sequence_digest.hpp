#pragma once

#include "traces/records/digest.hpp"
#include "traces/records/key_image.hpp"

#include <compare>
#include <cstdint>

namespace keyswap {

/// A 128-bit hash of a sequence of keys (and their values) with its length. Unlike MultisetDigest
/// it depends on the order: each element is mixed together with its position before the sums.
/// Digests of consecutive parts add up to the digest of the whole, so that parts may be taken in
/// any order and by any number of threads, each with its own positions.
///
/// A stable partition has exactly one right output, which one such digest therefore checks without
/// storing it.
struct SequenceDigest {
    std::uint64_t count = 0;
    std::uint64_t low = 0;
    std::uint64_t high = 0;

    friend auto operator<=>(SequenceDigest const&, SequenceDigest const&) = default;

    KEYSWAP_HOST_DEVICE constexpr SequenceDigest& operator+=(SequenceDigest const& other) {
        count += other.count;
        low += other.low;
        high += other.high;
        return *this;
    }
};

/// The words that digest an element of up to 128 key bits, wherever it stands. For `high` = 0 this
/// is *not* digest_of(low, value): a key type is digested by one of the two, by its width.
/// \param value the value that travels with the key, zero-extended; 0 if there is none
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr MultisetDigest digest_of_wide(KeyImage image,
                                                                          std::uint64_t value = 0) {
    std::uint64_t const word_low = mix_bits(image.high + 0x8cb92ba72f3d8dd7ULL) + image.low;
    std::uint64_t const word_high = mix_bits(image.low ^ 0x2545f4914f6cdd1dULL) + image.high;
    std::uint64_t const key_low = mix_bits(word_low + 0x9e3779b97f4a7c15ULL);
    std::uint64_t const key_high = mix_bits(word_high ^ 0xd1b54a32d192ed03ULL);
    return MultisetDigest{1,
                          mix_bits(key_low + value * 0xda942042e4dd58b5ULL),
                          mix_bits(key_high ^ (value + 0x8cb92ba72f3d8dd7ULL))};
}

/// Digest of a single element at a position of a sequence.
/// \param element digest_of() or digest_of_wide() of the element
/// \param position 0-based index in the whole sequence
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr SequenceDigest
digest_at(std::uint64_t position, MultisetDigest const& element) {
    return SequenceDigest{1,
                          mix_bits(element.low + position * 0x9e3779b97f4a7c15ULL),
                          mix_bits(element.high ^ mix_bits(position + 0xd1b54a32d192ed03ULL))};
}

} // namespace keyswap
