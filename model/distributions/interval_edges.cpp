#include "model/distributions/interval_edges.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

IntervalEdges::IntervalEdges(KeyGenerator const& generator,
                             std::span<CountedInterval const> intervals,
                             Direction direction) {
    KEYSWAP_EXPECTS(!intervals.empty());
    uint128 const largest = largest_image_of_bits(key_bits(generator.request().key_type));
    std::vector<CountedInterval> ascending(intervals.begin(), intervals.end());
    if (direction == Direction::descending) {
        std::ranges::reverse(ascending);
        for (CountedInterval& interval : ascending) {
            interval.images = {largest - interval.images.highest, largest - interval.images.lowest};
        }
    }
    auto const append = [&](uint128 fractions, std::optional<std::size_t> slot) {
        edges_.push_back({fractions, generator.first_rank_from(fractions)});
        slots_.push_back(slot);
    };
    for (CountedInterval const& interval : ascending) {
        auto const& [lowest, highest] = interval.images;
        if (!images_.empty() && images_.back() == lowest) {
            slots_.back() = interval.slot; // no gap before it
        } else {
            images_.push_back(lowest);
            append(generator.fractions_below(lowest), interval.slot);
        }
        if (highest == largest) {
            append(two_to_64, std::nullopt);
        } else {
            images_.push_back(highest + 1);
            append(generator.fractions_below(highest + 1), std::nullopt);
        }
    }
}

IntervalEdges::Reach IntervalEdges::reach(uint128 low, uint128 high) const {
    auto const above = std::ranges::upper_bound(edges_, low, {}, &Edge::fractions);
    auto const beyond = std::ranges::lower_bound(edges_, high, {}, &Edge::fractions);
    auto const index = [&](auto place) { return static_cast<std::size_t>(place - edges_.begin()); };
    return {above == edges_.begin() ? 0 : index(above) - 1,
            std::min(index(beyond), edges_.size() - 1)};
}

std::optional<std::size_t> IntervalEdges::slot_of(uint128 image) const {
    auto const after = std::ranges::upper_bound(images_, image);
    return after == images_.begin() ? std::nullopt
                                    : slots_[static_cast<std::size_t>(after - images_.begin()) - 1];
}

} // namespace keyswap::model
