#pragma once

/// \file The order-preserving unsigned image of a key: sorting images as unsigned numbers sorts the
/// keys. Source: design of the key order (sign flip for integers; for floats, a flip of all bits if
/// negative, otherwise of the sign; the complement for descending order).

#include "traces/records/digest.hpp"
#include "traces/records/key_image.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// A 16-byte image; on the host also used for images of smaller width.
__extension__ using WideImage = unsigned __int128;

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr WideImage wide_image(KeyImage image) {
    return (WideImage{image.high} << 64) | image.low;
}
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr KeyImage key_image(WideImage image) {
    return {static_cast<std::uint64_t>(image >> 64), static_cast<std::uint64_t>(image)};
}

enum class SignRule { none, integer, floating };

/// The conversion of raw key bits to an image and back; can be a kernel argument.
struct ImageCode {
    SignRule sign = SignRule::none;
    Direction direction = Direction::ascending;

    [[nodiscard]] KEYSWAP_HOST_DEVICE constexpr bool is_identity() const {
        return sign == SignRule::none && direction == Direction::ascending;
    }
};

[[nodiscard]] constexpr ImageCode image_code(KeyType type, Direction direction) {
    switch (kind_of(type)) {
    case KeyKind::unsigned_integer:
    case KeyKind::bytes: // big-endian numbers
        return {SignRule::none, direction};
    case KeyKind::signed_integer:
        return {SignRule::integer, direction};
    case KeyKind::floating:
        return {SignRule::floating, direction};
    }
    return {};
}

/// Encodes raw bits. \tparam Word unsigned, as wide as the key
template <class Word>
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Word encode_image(Word raw, ImageCode code) {
    constexpr Word sign = Word{1} << (sizeof(Word) * 8 - 1);
    Word image = raw;
    if (code.sign == SignRule::integer) {
        image = raw ^ sign;
    } else if (code.sign == SignRule::floating) {
        image = (raw & sign) != 0 ? static_cast<Word>(~raw) : static_cast<Word>(raw | sign);
    }
    return code.direction == Direction::descending ? static_cast<Word>(~image) : image;
}

/// Decodes an image: the inverse of encode_image.
template <class Word>
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Word decode_image(Word image, ImageCode code) {
    constexpr Word sign = Word{1} << (sizeof(Word) * 8 - 1);
    Word const word = code.direction == Direction::descending ? static_cast<Word>(~image) : image;
    if (code.sign == SignRule::integer) {
        return word ^ sign;
    }
    if (code.sign == SignRule::floating) {
        return (word & sign) != 0 ? static_cast<Word>(word ^ sign) : static_cast<Word>(~word);
    }
    return word;
}

/// An array of keys of 4 or 8 bytes.
struct RawKeys {
    int key_bytes = 4;
    void const* keys = nullptr; ///< [count] device
    std::uint64_t count = 0;
    ImageCode code{}; ///< identity: the keys are images
};

/// XOR masks that encode or decode a word, selected by the word's highest bit: a kernel that
/// converts many keys evaluates the code only once. \tparam Word of 4 or 8 bytes
template <class Word>
struct ImageMasks {
    Word above; ///< for words with the highest bit set
    Word below;

    [[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Word apply(Word word) const {
        constexpr Word sign = Word{1} << (sizeof(Word) * 8 - 1);
        return word ^ ((word & sign) != 0 ? above : below);
    }
};
template <class Word>
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr ImageMasks<Word> encoding_masks(ImageCode code) {
    constexpr Word sign = Word{1} << (sizeof(Word) * 8 - 1);
    return {static_cast<Word>(encode_image(sign, code) ^ sign), encode_image(Word{0}, code)};
}
template <class Word>
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr ImageMasks<Word> decoding_masks(ImageCode code) {
    constexpr Word sign = Word{1} << (sizeof(Word) * 8 - 1);
    return {static_cast<Word>(decode_image(sign, code) ^ sign), decode_image(Word{0}, code)};
}

} // namespace keyswap::kernels
