#pragma once

/// \file Inner loops of the output check, written so that compilers vectorize them. They convert
/// keys into order-preserving images on the fly.

#include "model/check/hash_seed.hpp"
#include "model/keys/wide_integer.hpp"
#include "traces/errors/input_error.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/key_type.hpp"

#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace keyswap::model {

/// Converts a key's bits into its image without branches: key ^ (sign extended over all bits &
/// negative_mask | flip). `Word` is std::uint32_t, std::uint64_t or uint128.
template <class Word>
struct ImageRule {
    Word negative_mask = 0; ///< flipped if the sign bit is set: all bits for floats
    Word flip = 0;          ///< always flipped: the sign bit for signed integers and floats
    Word order_flip = 0;    ///< flipped for comparisons: all bits for descending order
    Word zero_step = 0;     ///< added to the image of -0.0 for comparisons: 1 maps it to +0.0
    Word lowest_number = 0; ///< lowest image that is not a NaN
    Word number_span = static_cast<Word>(~Word{0}); ///< highest such image minus lowest_number
    Word nan_order = 0; ///< word for comparing NaNs; unused for NanOrder::total
};

/// \pre the type has the width of Word
template <class Word>
[[nodiscard]] ImageRule<Word> image_rule(KeyType type,
                                         Direction direction,
                                         ZeroOrder zero_order,
                                         NanOrder nan_order = NanOrder::total);

/// Image in ascending order, as used by digests and findings.
template <class Word>
[[nodiscard]] constexpr Word image_by(ImageRule<Word> const& rule, Word key) {
    constexpr int sign_shift = 8 * sizeof(Word) - 1;
    Word const sign = static_cast<Word>(Word{0} - static_cast<Word>(key >> sign_shift));
    return key ^ ((sign & rule.negative_mask) | rule.flip);
}

/// The key of an image: the inverse of image_by().
template <class Word>
[[nodiscard]] constexpr Word key_by(ImageRule<Word> const& rule, Word image) {
    Word const positive_key = image ^ rule.flip;
    Word const negative_key = image ^ (rule.negative_mask | rule.flip);
    return image_by(rule, positive_key) == image ? positive_key : negative_key;
}

/// Maps a key to the word that represents it in comparisons.
template <class Word>
[[nodiscard]] constexpr Word order_by(ImageRule<Word> const& rule, Word key) {
    constexpr Word minus_zero = static_cast<Word>(~Word{0}) >> 1;
    Word const image = image_by(rule, key);
    Word const step = image == minus_zero ? rule.zero_step : Word{0};
    Word const order = static_cast<Word>(image + step) ^ rule.order_flip;
    bool const is_nan = static_cast<Word>(image - rule.lowest_number) > rule.number_span;
    return is_nan ? rule.nan_order : order;
}

/// Order-independent hash of a multiset of keys, like MultisetDigest (traces/records/digest.hpp)
/// but with a quarter of its multiplications, so that the check runs at the speed of reading the
/// files. Two different multisets of equal size collide with a probability of about 2^-64 over the
/// seeds, assuming that mixed words are random. Multisets that differ in one key never collide,
/// since mixing is a bijection.
struct Fingerprint {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;       ///< of the images' low words, modulo 2^64
    std::uint64_t hash = 0;      ///< sum of the mixed images, modulo 2^64
    std::uint64_t wide_hash = 0; ///< second sum, only for 128-bit images; else 0

    friend auto operator<=>(Fingerprint const&, Fingerprint const&) = default;
    constexpr Fingerprint& operator+=(Fingerprint const& other) {
        count += other.count;
        sum += other.sum;
        hash += other.hash;
        wide_hash += other.wide_hash;
        return *this;
    }
};

/// Fingerprint of a single image.
[[nodiscard]] constexpr Fingerprint fingerprint_of_image(std::uint64_t image,
                                                         HashSeed const& seed) {
    return {1, image, seed.mix(image), 0};
}
/// Two rounds of a Feistel network, a bijection of 128-bit images: different images differ in at
/// least one of the two sums.
[[nodiscard]] constexpr Fingerprint fingerprint_of_image(uint128 image, HashSeed const& seed) {
    auto const [high, low] = key_image(image);
    std::uint64_t const left = low + seed.mix(high);
    return {1, low, high + seed.mix(left), left};
}

[[nodiscard]] Fingerprint fingerprint_of_keys(std::span<std::uint32_t const> keys,
                                              ImageRule<std::uint32_t> const& rule,
                                              HashSeed const& seed);
[[nodiscard]] Fingerprint fingerprint_of_keys(std::span<std::uint64_t const> keys,
                                              ImageRule<std::uint64_t> const& rule,
                                              HashSeed const& seed);
[[nodiscard]] Fingerprint fingerprint_of_keys(std::span<uint128 const> keys,
                                              ImageRule<uint128> const& rule,
                                              HashSeed const& seed);

/// Numbers of adjacent pairs that ascend and descend; equal pairs count as neither.
struct Steps {
    std::uint64_t rising = 0;
    std::uint64_t falling = 0; ///< out of order; 0 = the keys are sorted
    friend bool operator==(Steps const&, Steps const&) = default;
};
[[nodiscard]] Steps steps_of_keys(std::span<std::uint32_t const> keys,
                                  ImageRule<std::uint32_t> const& rule);
[[nodiscard]] Steps steps_of_keys(std::span<std::uint64_t const> keys,
                                  ImageRule<std::uint64_t> const& rule);
[[nodiscard]] Steps steps_of_keys(std::span<uint128 const> keys, ImageRule<uint128> const& rule);

} // namespace keyswap::model
