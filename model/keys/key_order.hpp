#pragma once

/// \file The order-preserving unsigned image of a key: the word from which RMG sort reads digits.
/// Floats are mapped as radix sorts have done since Herf,
/// "Radix tricks" (2001).
///
/// An image is a bijection of the key's bits, so the key can be recovered from it. With
/// ZeroOrder::equal, keys are ordered by their *canonical* image, which maps -0.0 to the image of
/// +0.0 and is not a bijection. Code that must return keys keeps the images and reads digits from
/// their canonical form, so that a -0.0 remains a -0.0.

#include "model/keys/wide_integer.hpp"
#include "traces/records/key_type.hpp"

#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <type_traits>

namespace keyswap::model {

template <class T>
concept SignedKey =
    std::same_as<T, std::int32_t> || std::same_as<T, std::int64_t> || std::same_as<T, int128>;

/// A 16-byte key (b128) is a uint128 with the first byte most significant, so that integer order
/// is the order of the bytes. Only files and text distinguish it from a number.
template <class T>
concept Key = std::same_as<T, std::uint32_t> || std::same_as<T, std::uint64_t> ||
    std::same_as<T, uint128> || SignedKey<T> || std::same_as<T, float> || std::same_as<T, double>;

/// Unsigned integer of the key's width.
template <Key T>
using ImageOf = std::conditional_t<sizeof(T) == 4,
                                   std::uint32_t,
                                   std::conditional_t<sizeof(T) == 8, std::uint64_t, uint128>>;

/// The first key type stored as a T.
template <Key T>
inline constexpr KeyType key_type_of = key_type_with(std::floating_point<T> ? KeyKind::floating
                                                     : SignedKey<T> ? KeyKind::signed_integer
                                                                    : KeyKind::unsigned_integer,
                                                     sizeof(T));

/// Image of a key: a <= b in key order if and only if image_of(a) <= image_of(b). Floats are in
/// IEEE 754 total order: NaNs with the sign set first, then -inf .. -0.0, +0.0 .. +inf, NaNs.
template <Key T>
[[nodiscard]] constexpr ImageOf<T> image_of(T key, Direction direction = Direction::ascending) {
    using Image = ImageOf<T>;
    constexpr Image sign = Image{1} << (std::numeric_limits<Image>::digits - 1);
    Image image = std::bit_cast<Image>(key);
    if constexpr (std::floating_point<T>) {
        image = (image & sign) != 0 ? static_cast<Image>(~image) : static_cast<Image>(image | sign);
    } else if constexpr (SignedKey<T>) {
        image ^= sign;
    }
    return direction == Direction::ascending ? image : static_cast<Image>(~image);
}

/// The key of an image: the inverse of image_of.
template <Key T>
[[nodiscard]] constexpr T key_of(ImageOf<T> image, Direction direction = Direction::ascending) {
    using Image = ImageOf<T>;
    constexpr Image sign = Image{1} << (std::numeric_limits<Image>::digits - 1);
    if (direction == Direction::descending) {
        image = static_cast<Image>(~image);
    }
    if constexpr (std::floating_point<T>) {
        image = (image & sign) != 0 ? static_cast<Image>(image ^ sign) : static_cast<Image>(~image);
    } else if constexpr (SignedKey<T>) {
        image ^= sign;
    }
    return std::bit_cast<T>(image);
}

/// The image by which a key is ordered: under ZeroOrder::equal, -0.0 gets the image of +0.0.
template <Key T>
[[nodiscard]] constexpr ImageOf<T>
canonical_image(ImageOf<T> image, ZeroOrder zero_order, Direction direction) {
    if constexpr (std::floating_point<T>) {
        if (zero_order == ZeroOrder::equal && image == image_of(T{-0.0}, direction)) {
            return image_of(T{0.0}, direction);
        }
    }
    return image;
}

/// Calls `function` with a value-initialised image of the type's width.
template <class Function>
constexpr decltype(auto) with_image_type(KeyType type, Function&& function) {
    switch (key_size_bytes(type)) {
    case sizeof(std::uint32_t):
        return function(std::uint32_t{});
    case sizeof(std::uint64_t):
        return function(std::uint64_t{});
    default:
        break;
    }
    return function(uint128{});
}

/// Calls `function` with a value-initialised key of the C++ type for the key type's kind and
/// width. Keys of bytes are unsigned integers.
template <class Function>
constexpr decltype(auto) with_key_type(KeyType type, Function&& function) {
    switch (kind_of(type)) {
    case KeyKind::floating:
        return key_size_bytes(type) == sizeof(float) ? function(float{}) : function(double{});
    case KeyKind::signed_integer:
        switch (key_size_bytes(type)) {
        case sizeof(std::int32_t):
            return function(std::int32_t{});
        case sizeof(std::int64_t):
            return function(std::int64_t{});
        default:
            return function(int128{});
        }
    case KeyKind::unsigned_integer:
    case KeyKind::bytes:
        break;
    }
    return with_image_type(type, function);
}

/// Replaces keys (given as their bits) by their images, in parallel. With ZeroOrder::equal the
/// images are canonical, and to_keys() would turn every -0.0 into +0.0.
/// \pre the type has the width of Image: 32, 64 or 128 bits
template <class Image>
void to_images(KeyType type, Direction direction, ZeroOrder zero_order, std::span<Image> words);
/// Replaces images by the keys' bits, in parallel. \pre as above
template <class Image>
void to_keys(KeyType type, Direction direction, std::span<Image> words);

} // namespace keyswap::model
