#include "model/keys/refined_bucket.hpp"

#include "traces/errors/contracts.hpp"

namespace keyswap::model {

std::vector<CountedInterval> counted_intervals(std::span<RefinedBucket const> buckets,
                                               std::uint32_t child_count) {
    std::vector<CountedInterval> intervals;
    for (std::size_t bucket = 0; bucket < buckets.size(); ++bucket) {
        auto const& children = buckets[bucket].children;
        KEYSWAP_EXPECTS(children.size() <= child_count);
        for (std::size_t child = 0; child < children.size(); ++child) {
            if (children[child].empty()) {
                continue;
            }
            KEYSWAP_EXPECTS(intervals.empty() ||
                            intervals.back().images.highest < children[child].lowest);
            intervals.push_back({children[child], bucket * child_count + child});
        }
    }
    return intervals;
}

} // namespace keyswap::model
