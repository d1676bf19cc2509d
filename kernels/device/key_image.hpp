#pragma once

/// \file The order-preserving unsigned image of a key: sorting images as unsigned numbers sorts the
/// keys. Source: design of the key order (sign flip for integers; for floats all bits are flipped
/// where negative, else the sign; the complement for descending order).

#include "traces/records/digest.hpp"
#include "traces/records/key_image.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>

namespace keyswap::kernels {

/// The image of a key of 16 bytes; images of all widths where the host looks at them.
__extension__ using WideImage = unsigned __int128;

[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr WideImage wide_image(KeyImage image) {
    return (WideImage{image.high} << 64) | image.low;
}
[[nodiscard]] KEYSWAP_HOST_DEVICE constexpr KeyImage key_image(WideImage image) {
    return {static_cast<std::uint64_t>(image >> 64), static_cast<std::uint64_t>(image)};
}

enum class SignRule { none, integer, floating };

/// How raw key bits become an image and back; a value that a kernel can take.
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
    case KeyKind::bytes: // as the number that they are
        return {SignRule::none, direction};
    case KeyKind::signed_integer:
        return {SignRule::integer, direction};
    case KeyKind::floating:
        return {SignRule::floating, direction};
    }
    return {};
}

/// Raw bits to image. \tparam Word unsigned, as wide as the key
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

/// Image to raw bits: the inverse of encode_image.
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

/// The bits in which images differ from raw keys, or raw keys from images, by the highest bit of
/// what is turned: a kernel that turns many keys asks the code once. \tparam Word of 4 or 8 bytes
template <class Word>
struct ImageMasks {
    Word above; ///< of words whose highest bit is set
    Word below;

    [[nodiscard]] KEYSWAP_HOST_DEVICE constexpr Word turn(Word word) const {
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
