#include "simulator/schedules/pass_concentration.hpp"

#include "simulator/cost/cost_model.hpp"
#include "traces/records/digest.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <span>

namespace keyswap::simulator {

namespace {

constexpr std::uint64_t sampled_blocks = 256;
constexpr std::uint64_t block_samples = 16;
constexpr std::uint64_t library_block_keys = 4096; ///< of the library's sort: at least half

/// Ascending positions of random keys, `block_samples` in each of `sampled_blocks` blocks.
/// \pre key_count >= sampled_blocks * block_samples
std::vector<std::uint64_t> sampled_positions(std::uint64_t key_count) {
    std::uint64_t const distance = key_count / sampled_blocks;
    std::uint64_t const step = std::min(distance, library_block_keys) / block_samples;
    std::uint64_t const free = distance - step * block_samples + 1;
    std::vector<std::uint64_t> positions;
    for (std::uint64_t block = 0; block < sampled_blocks; ++block) {
        std::uint64_t const begin = block * distance + mix_bits(block) % free;
        for (std::uint64_t i = 0; i < block_samples; ++i) {
            positions.push_back(begin + i * step +
                                mix_bits(sampled_blocks + block * block_samples + i) % step);
        }
    }
    return positions;
}

/// Part of the ordered pairs of digits that are equal, within groups of `block_samples`.
double equal_pairs(std::span<std::uint32_t const> digits) {
    std::uint64_t pairs = 0;
    for (std::size_t begin = 0; begin < digits.size(); begin += block_samples) {
        std::map<std::uint32_t, std::uint64_t> counts;
        for (std::uint32_t const digit : digits.subspan(begin, block_samples)) {
            pairs += 2 * counts[digit]++;
        }
    }
    return static_cast<double>(pairs) / static_cast<double>(digits.size() * (block_samples - 1));
}

} // namespace

std::vector<double> pass_concentrations(model::KeySource& keys, int bits, int digit_bits) {
    constexpr std::uint64_t key_count_min = 1U << 16U;
    std::vector<double> passes;
    std::vector<model::uint128> images;
    if (keys.key_count() >= key_count_min) {
        images = keys.images_at(sampled_positions(keys.key_count()));
    }
    for (int begin = 0; begin < bits; begin += digit_bits) {
        model::uint128 const mask =
            (model::uint128{1} << static_cast<unsigned>(std::min(digit_bits, bits - begin))) - 1;
        auto const digit = [&](model::uint128 image) {
            return static_cast<std::uint32_t>((image >> static_cast<unsigned>(begin)) & mask);
        };
        std::vector<std::uint32_t> digits;
        std::ranges::transform(images, std::back_inserter(digits), digit);
        passes.push_back(digits.empty() ? 0.0 : equal_pairs(digits));
        std::ranges::stable_sort(images, {}, digit);
    }
    return passes;
}

double pass_concentration(ScheduleInput const& input, int bits) {
    if (input.device.sort_conflict_ps == 0.0) {
        return 0.0;
    }
    auto const digit_bits = static_cast<int>(input.device.sort_pass_bits);
    auto const& all = input.facts->of("digits of " + std::to_string(digit_bits) + " bits", [&] {
        return pass_concentrations(*input.keys, key_bits(input.config.key_type), digit_bits);
    });
    auto const passes = static_cast<std::size_t>(sort_passes(input.device, bits));
    return std::accumulate(
        all.begin(), all.begin() + static_cast<std::ptrdiff_t>(std::min(passes, all.size())), 0.0);
}

} // namespace keyswap::simulator
