#pragma once

#include "model/partition/bucket_space.hpp"
#include "traces/records/key_image.hpp"
#include "traces/records/sort_shape.hpp"

#include <cstdint>
#include <string>

namespace keyswap::tools {

/// The digits read so far, in hexadecimal with blanks for the rest: "0x1f______"; or "0x1f/9 bits"
/// if they are not a multiple of four bits.
[[nodiscard]] std::string digits_name(std::uint64_t prefix, int bits_read, int bits_below);

/// Displayed name of a bucket: its digits if it has any, else its range of keys in the sort's
/// order, "12 to 345", or its only key.
[[nodiscard]] std::string
bucket_name(model::BucketSpace const& space, SortShape const& shape, BucketPrefix bucket);

/// The key with this image, as text. \pre the image belongs to a key of the shape
[[nodiscard]] std::string key_name(SortShape const& shape, KeyImage image);

} // namespace keyswap::tools
