#pragma once

/// \file What a sample of 4,096 keys says about all of them, as our kernels ask: whether some
/// stretch of neighbouring images is crowded, and which values are so frequent that splitters give
/// them buckets of their own.

#include "kernels/exchange_plan/fast_tuning.hpp"
#include "model/buckets/chunks.hpp"
#include "model/keys/key_source.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::simulator {

using kernels::counted_keys_max;
using kernels::crowded_leaves;
using kernels::crowding_samples;

/// Keys in the fullest of the stretches of 2^shift images, estimated from keys at places spread
/// over a range of the input; 0 if chance explains it or there are fewer keys than the sample
/// takes.
[[nodiscard]] std::uint64_t
fullest_stretch(model::KeySource& keys, model::IndexRange range, int shift);

/// Keys of values that splitters find so often that they get buckets of their own.
/// Source: GPU Sample Sort, section 4, "equality buckets".
struct HeavyKeys {
    std::uint64_t count = 0;
    double concentration = 0.0; ///< sum over these values of their squared shares of all keys
};

/// Images of keys of the whole input, ascending.
struct KeySample {
    std::vector<model::uint128> images;
    std::uint64_t key_count = 0;
};
[[nodiscard]] KeySample sample_keys(model::KeySource& keys);

/// Of the keys in an interval of images. \param count of these keys
[[nodiscard]] HeavyKeys
heavy_keys(KeySample const& sample, model::ImageInterval images, std::uint64_t count);
/// Of all keys.
[[nodiscard]] HeavyKeys heavy_keys(model::KeySource& keys);

} // namespace keyswap::simulator
