#include "simulator/schedules/crowding.hpp"

#include "traces/records/digest.hpp"

#include <algorithm>
#include <span>

namespace keyswap::simulator {

namespace {

constexpr std::uint64_t chance_max = 16; ///< thousands of equal shares do not exceed it

/// Images of one random key in each 4,096th of a range, shifted right by `shift`, ascending.
std::vector<model::uint128>
sampled_images(model::KeySource& keys, model::IndexRange range, int shift) {
    std::uint64_t const distance = range.size() / crowding_samples;
    std::vector<std::uint64_t> positions(distance == 0 ? 0 : crowding_samples);
    for (std::uint64_t sample = 0; sample < positions.size(); ++sample) {
        positions[sample] = range.begin + sample * distance + mix_bits(sample) % distance;
    }
    std::vector<model::uint128> images = keys.images_at(positions);
    for (model::uint128& image : images) {
        image >>= static_cast<unsigned>(shift);
    }
    std::ranges::sort(images);
    return images;
}

/// Number of occurrences of each distinct image.
std::vector<std::uint64_t> counts_of(std::span<model::uint128 const> ascending) {
    std::vector<std::uint64_t> counts;
    for (auto first = ascending.begin(); first != ascending.end();) {
        auto const last = std::upper_bound(first, ascending.end(), *first);
        counts.push_back(static_cast<std::uint64_t>(last - first));
        first = last;
    }
    return counts;
}

} // namespace

std::uint64_t fullest_stretch(model::KeySource& keys, model::IndexRange range, int shift) {
    std::vector<std::uint64_t> const counts = counts_of(sampled_images(keys, range, shift));
    std::uint64_t const most = counts.empty() ? 0 : std::ranges::max(counts);
    return most <= chance_max ? 0 : most * (range.size() / crowding_samples);
}

KeySample sample_keys(model::KeySource& keys) {
    return {sampled_images(keys, {0, keys.key_count()}, 0), keys.key_count()};
}

std::span<model::uint128 const> images_of(KeySample const& sample, model::ImageInterval images) {
    if (images.empty()) {
        return {};
    }
    return {std::ranges::lower_bound(sample.images, images.lowest),
            std::ranges::upper_bound(sample.images, images.highest)};
}

HeavyKeys heavy_keys(KeySample const& sample, model::ImageInterval images, std::uint64_t count) {
    HeavyKeys heavy;
    if (sample.images.empty() || images.empty() || count == 0) {
        return heavy;
    }
    std::uint64_t const weight = sample.key_count / sample.images.size();
    for (std::uint64_t const found : counts_of(images_of(sample, images))) {
        if (found > chance_max) {
            double const share = static_cast<double>(found * weight) / static_cast<double>(count);
            heavy.count += found * weight;
            heavy.concentration += share * share;
        }
    }
    heavy.count = std::min(heavy.count, count);
    heavy.concentration = std::min(heavy.concentration, 1.0);
    return heavy;
}

HeavyKeys heavy_keys(model::KeySource& keys) {
    return heavy_keys(sample_keys(keys), {0, ~model::uint128{0}}, keys.key_count());
}

} // namespace keyswap::simulator
