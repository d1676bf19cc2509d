#pragma once

/// \file The range of key images that a bucket can hold. Plain C++.

#include "kernels/device/key_image.hpp"
#include "kernels/primitives/key_shape.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <bit>
#include <cstdint>

namespace keyswap::kernels {

/// Closed interval of images; empty if lowest > highest.
struct ImageRange {
    WideImage lowest = 0;
    WideImage highest = ~WideImage{0};

    [[nodiscard]] bool empty() const { return lowest > highest; }
    [[nodiscard]] bool is_one_value() const { return lowest == highest; }
    /// One above the highest bit in which two images of the range can differ; 0 if all are equal.
    [[nodiscard]] int end_bit() const {
        KeyImage const differing = key_image(lowest ^ highest);
        return static_cast<int>(differing.high != 0 ? 64 + std::bit_width(differing.high)
                                                    : std::bit_width(differing.low));
    }
    friend bool operator==(ImageRange const&, ImageRange const&) = default;
};

/// All images of keys of `key_bits` bits, 1 to 128.
[[nodiscard]] constexpr ImageRange all_images(int key_bits) {
    return {0, ~WideImage{0} >> (128 - key_bits)};
}

/// Child number `child` of a bucket refined by a digit of `child_bits` bits.
[[nodiscard]] constexpr BucketPrefix
child_of(BucketPrefix refined, int child_bits, std::uint32_t child) {
    return {refined.pass + 1, (refined.prefix << child_bits) | child};
}

/// Images of a bucket whose prefix consists of whole digits.
[[nodiscard]] inline ImageRange images_of_digits(BucketPrefix bucket, KeyShape shape) {
    int const below = shape.bits_below(bucket.pass);
    if (below >= shape.key_bits) {
        return all_images(shape.key_bits);
    }
    WideImage const lowest = WideImage{bucket.prefix} << below;
    return {lowest, lowest | ((WideImage{1} << below) - 1)};
}

} // namespace keyswap::kernels
