#pragma once

#include "model/buckets/digit_layout.hpp"

namespace keyswap::model {

/// The bucket of the complemented images: what a bucket of a descending sort holds in ascending
/// images, and back.
[[nodiscard]] inline BucketPrefix mirrored_bucket(DigitLayout const& layout, BucketPrefix bucket) {
    // The complement of the whole image, seen through the bucket's digits.
    return {bucket.pass, layout.prefix(~layout.lowest_image(bucket), bucket.pass)};
}

} // namespace keyswap::model
