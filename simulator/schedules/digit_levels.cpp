#include "simulator/schedules/digit_levels.hpp"

#include "simulator/cost/fast_cost.hpp"
#include "traces/records/digest.hpp"
#include "traces/records/key_type.hpp"

#include <algorithm>
#include <bit>

namespace keyswap::simulator {

namespace {

constexpr std::uint64_t leaf_keys = 4096; ///< of 64 bits, that shared memory holds at most

/// Bits that divide evenly spread keys into leaves of a third to two thirds of the largest size.
int bits_to_leaves(std::uint64_t count) {
    return static_cast<int>(std::bit_width((count + count / 2) / leaf_keys));
}

/// Keys in the fullest of the stretches of 2^shift images, as one key in each 4,096th part tells; 0
/// where no stretch has more than chance gives it.
std::uint64_t fullest_stretch(model::KeySource& keys, int shift) {
    constexpr std::uint64_t samples = 4096;
    constexpr std::uint64_t chance = 16;
    std::uint64_t const distance = keys.key_count() / samples;
    std::vector<std::uint64_t> positions(samples);
    for (std::uint64_t sample = 0; sample < samples; ++sample) {
        positions[sample] = sample * distance + mix_bits(sample) % distance;
    }
    std::vector<model::uint128> stretches = keys.images_at(positions);
    for (model::uint128& image : stretches) {
        image >>= static_cast<unsigned>(shift);
    }
    std::ranges::sort(stretches);
    std::uint64_t most = 0;
    for (auto first = stretches.begin(); first != stretches.end();) {
        auto const last = std::ranges::upper_bound(first, stretches.end(), *first);
        most = std::max(most, static_cast<std::uint64_t>(last - first));
        first = last;
    }
    return most <= chance ? 0 : most * distance;
}

std::optional<DigitLevels> counted_levels(model::KeySource& keys) {
    constexpr int level_bits = 32 - counting_bits;
    constexpr std::uint64_t crowded_keys = std::uint64_t{1} << 19;
    bool const pays = keys.key_count() >> level_bits >= counted_stretch_keys_min &&
                      fullest_stretch(keys, counting_bits) <= crowded_keys;
    return pays ? std::optional(DigitLevels{{level_bits - wide_step_bits, wide_step_bits}, true})
                : std::nullopt;
}

std::optional<DigitLevels> leaf_levels(model::KeySource& keys) {
    constexpr std::uint64_t leaves_a_stretch_max = 8;
    std::uint64_t count = keys.key_count();
    constexpr int wide_key_bits = 64;
    if (fullest_stretch(keys, wide_key_bits - bits_to_leaves(count)) >
        leaves_a_stretch_max * leaf_keys) {
        return std::nullopt;
    }
    DigitLevels levels;
    while (count > leaf_keys) {
        int const bits = bits_to_leaves(count);
        int const left = (bits + wide_step_bits - 1) / wide_step_bits;
        levels.bits.push_back(bits / left);
        count >>= static_cast<unsigned>(levels.bits.back());
    }
    return levels;
}

} // namespace

std::optional<DigitLevels> digit_levels(model::SortConfig const& config, model::KeySource& keys) {
    constexpr std::uint64_t key_count_min = std::uint64_t{1} << 20;
    constexpr std::uint64_t key_count_end = std::uint64_t{1} << 32;
    if (config.value_type != ValueType::none || config.key_count < key_count_min ||
        config.key_count >= key_count_end) {
        return std::nullopt;
    }
    switch (key_size_bytes(config.key_type)) {
    case 4:
        return counted_levels(keys);
    case 8:
        return leaf_levels(keys);
    default:
        return std::nullopt;
    }
}

void add_digit_levels(ScheduleBuilder& builder,
                      DigitLevels const& levels,
                      DeviceProfile const& device,
                      std::uint64_t key_count) {
    // A look at the keys, then the whole range as a child; a level has its segments copied, tiled,
    // counted, moved and their children told apart; leaves of a few size classes come last.
    constexpr int launches_before = 6;
    constexpr int launches_a_level = 8;
    constexpr int launches_of_leaves = 3;
    FastKernels const kernels{device};
    auto const launch = [&](KernelCost cost, int launches) {
        cost.duration += from_seconds(launches * device.fast->launch_us * 1e-6);
        builder.kernel(0, cost, Phase::bucket_sort);
    };
    launch({}, launches_before);
    for (int const bits : levels.bits) {
        launch(kernels.histogram(builder.key_bytes(), key_count), launches_a_level);
        launch(kernels.unstable_step(builder.key_bytes(), key_count, bits), 0);
    }
    constexpr std::uint64_t stretches = std::uint64_t{1} << (32 - counting_bits);
    launch(levels.counting ? kernels.counting_sort(key_count, stretches)
                           : kernels.leaf_sort(key_count),
           launches_of_leaves);
}

} // namespace keyswap::simulator
