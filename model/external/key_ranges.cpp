#include "model/external/key_ranges.hpp"

#include "model/sorts/sample/splitters.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

namespace {

/// \param sample ascending \param weight records per drawn record
std::vector<ImageInterval> cut_sample(std::vector<uint128> const& sample,
                                      double weight,
                                      double planned,
                                      ImageInterval within) {
    std::vector<ImageInterval> ranges;
    uint128 begin = within.lowest;
    double filled = 0;
    auto const cut_before = [&](uint128 image) {
        if (image > begin) {
            ranges.push_back({begin, image - 1});
            begin = image;
        }
        filled = 0;
    };
    for (auto first = sample.begin(); first != sample.end();) {
        uint128 const image = *first;
        auto const end = std::upper_bound(first, sample.end(), image);
        double const records = weight * static_cast<double>(end - first);
        bool const heavy = end - first > 1 && records > planned / 2;
        if (heavy || filled + records > planned) {
            cut_before(image);
        }
        if (heavy) {
            ranges.push_back({image, image});
            if (image == within.highest) {
                return ranges;
            }
            begin = image + 1;
        } else {
            filled += records;
        }
        first = end;
    }
    ranges.push_back({begin, within.highest});
    return ranges;
}

} // namespace

std::uint64_t RangeTarget::planned_records() const {
    auto const fitting = static_cast<std::uint64_t>(range_fill * static_cast<double>(records_max));
    std::uint64_t const manageable = record_count / ranges_max;
    return std::max({fitting, manageable, std::uint64_t{1}});
}

std::uint64_t RangeTarget::draws() const {
    return draws_per_range * (record_count / planned_records() + 4);
}

std::vector<std::uint64_t> sample_positions(RangeTarget const& target, std::uint64_t seed) {
    std::vector<std::uint64_t> positions(target.draws());
    for (std::uint64_t draw = 0; draw < positions.size(); ++draw) {
        positions[draw] = sample_position(seed, draw, target.record_count);
    }
    std::ranges::sort(positions);
    return positions;
}

std::vector<ImageInterval>
choose_ranges(std::vector<uint128> sample, RangeTarget const& target, ImageInterval within) {
    KEYSWAP_EXPECTS(!sample.empty() && target.ranges_max > 2);
    std::ranges::sort(sample);
    auto const record_count = static_cast<double>(target.record_count);
    double const weight = record_count / static_cast<double>(sample.size());
    constexpr double growth = 1.25;
    auto planned = static_cast<double>(target.planned_records());
    while (true) {
        auto ranges = cut_sample(sample, weight, planned, within);
        if (ranges.size() <= target.ranges_max) {
            return ranges;
        }
        planned *= growth; // once it exceeds all records, at most three ranges remain
    }
}

} // namespace keyswap::model
