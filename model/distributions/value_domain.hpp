#pragma once

/// \file Maps distributions of values to distributions of images, for key types up to 64 bits.
///
/// Published generators draw from uniform_real(0, max) for every type, so values are never
/// negative. The domain is [0, max]: all of an unsigned type, the upper half of a signed one,
/// +0.0 .. the largest finite float. Float cells end at powers of two, between which images are
/// evenly spaced in value, so that a real density is reproduced at full precision.

#include "model/distributions/quantile_table.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// Image of the value 0 (of +0.0 for floats).
[[nodiscard]] std::uint64_t zero_image(KeyType type);
/// Image of the type's largest (finite) value.
[[nodiscard]] std::uint64_t largest_image(KeyType type);
/// Image of the type's value nearest to an integer. \pre value is at most the type's largest
[[nodiscard]] std::uint64_t image_of_whole(KeyType type, std::uint64_t value);

/// A probability as a fraction of 2^64, rounded down; 2^64 if >= 1, 0 if negative.
[[nodiscard]] uint128 to_fixed_point(double probability);

/// Spreads values evenly inside each of m bins of equal width.
/// \param u_edges [m + 1] ascending from 0 to 2^64: fractions below each bin edge
/// \param share_of_domain the bins cover [0, share x domain); a power of two up to 1
[[nodiscard]] QuantileTable
table_of_bins(KeyType type, std::span<uint128 const> u_edges, double share_of_domain = 1);

/// The uniform distribution on [0, share x domain).
[[nodiscard]] QuantileTable uniform_table(KeyType type, double share_of_domain = 1);

/// The uniform distribution on the values below `end`: real values for floats, integers otherwise.
/// \pre 1 <= end <= 2^30
[[nodiscard]] QuantileTable table_below(KeyType type, double end);

/// The image of a single value and its probability.
struct WeightedImage {
    std::uint64_t image = 0;
    double weight = 0; ///< proportional to the probability
};

/// A discrete distribution. \pre ascending by image; equal images are merged
[[nodiscard]] QuantileTable table_of_points(std::span<WeightedImage const> points);

} // namespace keyswap::model
