#include "model/keys/refined_bucket.hpp"

#include "traces/errors/contracts.hpp"

namespace keyswap::model {

std::vector<RefinedBucket> refined_by_digit(DigitLayout const& layout,
                                            std::span<BucketPrefix const> buckets) {
    std::vector<RefinedBucket> refined;
    for (BucketPrefix const bucket : buckets) {
        RefinedBucket& next = refined.emplace_back(RefinedBucket{bucket, {}});
        for (std::uint32_t digit = 0; digit < layout.digit_count(bucket.pass + 1); ++digit) {
            BucketPrefix const child = layout.child(bucket, digit);
            next.children.push_back({layout.lowest_image(child), layout.highest_image(child)});
        }
    }
    return refined;
}

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
