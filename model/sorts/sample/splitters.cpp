#include "model/sorts/sample/splitters.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>

namespace keyswap::model {

Expected<SampleParameters> validated(SampleParameters const& parameters) {
    auto const refused = [](std::string subject, std::uint64_t value, std::string const& range) {
        return input_error(
            std::move(subject), std::to_string(value) + " is out of range", "give " + range);
    };
    if (parameters.ways < 2 || parameters.ways > 256) {
        return refused("ways", parameters.ways, "2 to 256");
    }
    if (parameters.oversampling < 1 || parameters.oversampling > 1024) {
        return refused("oversampling", parameters.oversampling, "1 to 1024");
    }
    return parameters;
}

std::uint64_t sample_position(std::uint64_t seed, std::uint64_t draw, std::uint64_t key_count) {
    return multiply_high(mix_bits(seed + draw * 0x9e3779b97f4a7c15ULL), key_count);
}

std::uint64_t seed_of_pass(std::uint64_t seed, int pass) {
    return pass == 1 ? seed : mix_bits(seed + static_cast<std::uint64_t>(pass));
}

std::vector<uint128> draw_sample(SampleParameters const& parameters, int pass, KeySource& source) {
    std::uint64_t const n = source.key_count();
    KEYSWAP_EXPECTS(n > 0);
    std::uint64_t const first_draws = std::uint64_t{parameters.ways} * parameters.oversampling;
    std::uint64_t const draws = pass == 1              ? first_draws
                                : n < later_draws / 64 ? 64 * n
                                                       : later_draws;
    std::uint64_t const seed = seed_of_pass(parameters.seed, pass);
    std::vector<std::uint64_t> positions(draws);
    for (std::uint64_t draw = 0; draw < draws; ++draw) {
        positions[draw] = sample_position(seed, draw, n);
    }
    std::vector<uint128> sample = source.images_at(positions);
    std::ranges::sort(sample);
    return sample;
}

SplitterBuckets splitters_of(std::span<uint128 const> sample, std::uint32_t ways) {
    KEYSWAP_EXPECTS(!sample.empty() && std::ranges::is_sorted(sample));
    std::uint64_t const size = sample.size();
    std::uint64_t const parts = std::min<std::uint64_t>(ways, size + 1);
    SplitterBuckets result;
    for (std::uint64_t i = 1; i < parts; ++i) {
        KeyImage const pick = key_image(sample[(i * size + parts - 1) / parts - 1]);
        if (!result.splitters.empty() && result.splitters.back() == pick) {
            result.equality.back() = true;
        } else {
            result.splitters.push_back(pick);
            result.equality.push_back(false);
        }
    }
    if (result.splitters.size() == 1) {
        result.equality.front() = true;
    }
    return result;
}

} // namespace keyswap::model
