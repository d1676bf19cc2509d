#pragma once

/// \file Estimates from a sample of 4,096 keys, as our kernels make them: whether some interval of
/// adjacent images (a stretch) is crowded, and which values are so frequent that splitters give
/// them buckets of their own.

#include "kernels/exchange_plan/fast_tuning.hpp"
#include "model/buckets/chunks.hpp"
#include "model/keys/key_source.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::simulator {

using kernels::counted_keys_max;
using kernels::crowded_leaves;
using kernels::crowding_samples;

/// Estimated keys in the fullest stretch of 2^shift images, from one random key in each of 4,096
/// parts of an input range; 0 if chance explains the maximum, or the range has fewer keys than
/// samples.
[[nodiscard]] std::uint64_t
fullest_stretch(model::KeySource& keys, model::IndexRange range, int shift);

/// Keys of values frequent enough to get buckets of their own between splitters.
/// Source: GPU Sample Sort, section 4, "equality buckets".
struct HeavyKeys {
    std::uint64_t count = 0;
    double concentration = 0.0; ///< sum of squared shares of these values among the keys
};

/// Sampled images of the whole input, ascending.
struct KeySample {
    std::vector<model::uint128> images;
    std::uint64_t key_count = 0;
};
[[nodiscard]] KeySample sample_keys(model::KeySource& keys);

/// The sampled images within an interval.
[[nodiscard]] std::span<model::uint128 const> images_of(KeySample const& sample,
                                                        model::ImageInterval images);

/// Heavy keys within an interval of images. \param count number of keys in the interval
[[nodiscard]] HeavyKeys
heavy_keys(KeySample const& sample, model::ImageInterval images, std::uint64_t count);
/// Heavy keys of the whole input.
[[nodiscard]] HeavyKeys heavy_keys(model::KeySource& keys);

} // namespace keyswap::simulator
