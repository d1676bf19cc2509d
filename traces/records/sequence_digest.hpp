#pragma once

#include "traces/records/digest.hpp"
#include "traces/records/key_image.hpp"

#include <compare>
#include <cstdint>

namespace keyswap {

/// A 128-bit hash of a sequence of keys (and their values), with its length. Unlike MultisetDigest
/// it depends on the order: each element is mixed with its position before the summation.
/// Digests of consecutive parts add up to the digest of the whole, so that threads may digest
/// parts in any order, each with its own positions.
///
/// A stable partition has exactly one correct output, so one such digest checks it without storing
/// the output.
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

/// The position-independent digest of an element of up to 128 key bits. For `high` = 0 it is *not*
/// digest_of(low, value): the width of the key type decides which of the two applies.
/// \param value the key's value, zero-extended; 0 for keys without values
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
