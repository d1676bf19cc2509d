#include "model/keys/interval_edges.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

IntervalEdges::IntervalEdges(KeyGenerator const& generator,
                             std::span<CountedInterval const> intervals,
                             Direction direction) {
    KEYSWAP_EXPECTS(!intervals.empty());
    uint128 const largest = (uint128{1} << key_bits(generator.request().key_type)) - 1;
    std::vector<CountedInterval> ascending(intervals.begin(), intervals.end());
    if (direction == Direction::descending) {
        std::ranges::reverse(ascending);
        for (CountedInterval& interval : ascending) {
            interval.images = {largest - interval.images.highest, largest - interval.images.lowest};
        }
    }
    QuantileTable const& table = generator.recipe().table;
    auto const append = [&](uint128 image, uint128 fractions, std::optional<std::size_t> slot) {
        images_.push_back(image);
        edges_.push_back({fractions, generator.first_rank_from(fractions)});
        slots_.push_back(slot);
    };
    for (CountedInterval const& interval : ascending) {
        auto const lowest = static_cast<std::uint64_t>(interval.images.lowest);
        if (!images_.empty() && images_.back() == lowest) {
            slots_.back() = interval.slot; // no gap before it
        } else {
            append(lowest, table.fractions_below(lowest), interval.slot);
        }
        append(interval.images.highest + 1,
               table.fractions_up_to(static_cast<std::uint64_t>(interval.images.highest)),
               std::nullopt);
    }
}

IntervalEdges::Reach IntervalEdges::reach(uint128 low, uint128 high) const {
    auto const above = std::ranges::upper_bound(edges_, low, {}, &Edge::fractions);
    auto const beyond = std::ranges::lower_bound(edges_, high, {}, &Edge::fractions);
    auto const index = [&](auto place) { return static_cast<std::size_t>(place - edges_.begin()); };
    return {above == edges_.begin() ? 0 : index(above) - 1,
            std::min(index(beyond), edges_.size() - 1)};
}

std::optional<std::size_t> IntervalEdges::slot_of(std::uint64_t image) const {
    auto const after = std::ranges::upper_bound(images_, uint128{image});
    return after == images_.begin() ? std::nullopt
                                    : slots_[static_cast<std::size_t>(after - images_.begin()) - 1];
}

} // namespace keyswap::model
