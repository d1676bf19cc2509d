#pragma once

#include "model/partition/bucket_space.hpp"
#include "traces/records/key_image.hpp"
#include "traces/records/sort_shape.hpp"

#include <cstdint>
#include <string>

namespace keyswap::tools {

/// "0x1f______": the digits read so far of a key's image in hexadecimal, the rest blank, or
/// "0x1f/9 bits" where they are not a multiple of four bits.
[[nodiscard]] std::string digits_name(std::uint64_t prefix, int bits_read, int bits_below);

/// A bucket as people read it: its digits, if it has any. Otherwise the keys from first to last in
/// the sort's order, "12 to 345", or the one key.
[[nodiscard]] std::string
bucket_name(model::BucketSpace const& space, SortShape const& shape, BucketPrefix bucket);

/// The key of an image, as text. \pre the image is one of the shape's keys
[[nodiscard]] std::string key_name(SortShape const& shape, KeyImage image);

} // namespace keyswap::tools
