#pragma once

/// \file What the output check does with every key, as loops that compilers turn into vector
/// instructions. Keys are turned into their order-preserving images on the way.

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

/// How a key's bits become its image, without branches: the sign, spread over all bits and masked,
/// and a constant are flipped. `Word` is std::uint32_t, std::uint64_t or uint128.
template <class Word>
struct ImageRule {
    Word negative_mask = 0; ///< flipped where the sign is set: all bits for floats
    Word flip = 0;          ///< flipped always: the sign bit for signed numbers and floats
    Word order_flip = 0;    ///< flipped for comparisons: all bits for a descending order
    Word zero_step = 0;     ///< added to the image of -0.0 for comparisons: 1 makes it that of +0.0
    Word lowest_number = 0; ///< images from here on ...
    Word number_span = static_cast<Word>(~Word{0}); ///< ... up to so much higher are no NaN
    Word nan_order = 0; ///< what compares for all others; nothing is NaN in the total order
};

/// \pre the type is as wide as Word
template <class Word>
[[nodiscard]] ImageRule<Word> image_rule(KeyType type,
                                         Direction direction,
                                         ZeroOrder zero_order,
                                         NanOrder nan_order = NanOrder::total);

/// Image in ascending order: the word that digests and values are about.
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

/// The word by which keys are compared.
template <class Word>
[[nodiscard]] constexpr Word order_by(ImageRule<Word> const& rule, Word key) {
    constexpr Word minus_zero = static_cast<Word>(~Word{0}) >> 1;
    Word const image = image_by(rule, key);
    Word const step = image == minus_zero ? rule.zero_step : Word{0};
    Word const order = static_cast<Word>(image + step) ^ rule.order_flip;
    bool const is_nan = static_cast<Word>(image - rule.lowest_number) > rule.number_span;
    return is_nan ? rule.nan_order : order;
}

/// Order-independent hash of a multiset of keys, as MultisetDigest is (traces/records/digest.hpp),
/// for a quarter of its multiplications: the check of two files is to run at the speed of reading
/// them. Two different multisets of one size agree with a probability of about 2^-64 over the seed,
/// taking the mixed words for random ones. Multisets that differ in one key never agree, as mixing
/// is a bijection.
struct Fingerprint {
    std::uint64_t count = 0;
    std::uint64_t sum = 0;       ///< of images' low words, modulo 2^64
    std::uint64_t hash = 0;      ///< sum of mixed images, modulo 2^64
    std::uint64_t wide_hash = 0; ///< of images of 128 bits a second sum; 0 for others

    friend auto operator<=>(Fingerprint const&, Fingerprint const&) = default;
    constexpr Fingerprint& operator+=(Fingerprint const& other) {
        count += other.count;
        sum += other.sum;
        hash += other.hash;
        wide_hash += other.wide_hash;
        return *this;
    }
};

/// The fingerprint of one image.
[[nodiscard]] constexpr Fingerprint fingerprint_of_image(std::uint64_t image,
                                                         HashSeed const& seed) {
    return {1, image, seed.mix(image), 0};
}
/// Two rounds of a Feistel network, so that different images differ in one of the two words: no
/// image is folded to 64 bits.
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

/// Neighbours that are in order, equal, or out of order.
struct Steps {
    std::uint64_t rising = 0;
    std::uint64_t falling = 0; ///< out of order; 0 = sorted
    friend bool operator==(Steps const&, Steps const&) = default;
};
[[nodiscard]] Steps steps_of_keys(std::span<std::uint32_t const> keys,
                                  ImageRule<std::uint32_t> const& rule);
[[nodiscard]] Steps steps_of_keys(std::span<std::uint64_t const> keys,
                                  ImageRule<std::uint64_t> const& rule);
[[nodiscard]] Steps steps_of_keys(std::span<uint128 const> keys, ImageRule<uint128> const& rule);

} // namespace keyswap::model
