#pragma once

#include "model/buckets/digit_layout.hpp"
#include "model/keys/wide_integer.hpp"
#include "traces/records/bucket_prefix.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Images from lowest to highest, both inclusive; empty if lowest > highest.
struct ImageInterval {
    uint128 lowest = 1;
    uint128 highest = 0;

    [[nodiscard]] bool empty() const { return lowest > highest; }
    [[nodiscard]] bool single_valued() const { return lowest == highest; }
    [[nodiscard]] bool contains(uint128 image) const { return lowest <= image && image <= highest; }
    friend bool operator==(ImageInterval const&, ImageInterval const&) = default;
};

/// A bucket and the intervals of its children under any bucket function that ascends with the key.
struct RefinedBucket {
    BucketPrefix bucket;
    std::vector<ImageInterval> children; ///< ascending and disjoint; any may be empty
    friend bool operator==(RefinedBucket const&, RefinedBucket const&) = default;
};

/// The buckets with one child per next digit. \pre keys have at most 64 bits
[[nodiscard]] std::vector<RefinedBucket> refined_by_digit(DigitLayout const& layout,
                                                          std::span<BucketPrefix const> buckets);

/// An interval counted by counter `slot`.
struct CountedInterval {
    ImageInterval images;
    std::size_t slot = 0;
};

/// The non-empty children of all buckets, ascending; child i of bucket b has counter
/// b * child_count + i. \pre buckets ascend; none has more than child_count children
[[nodiscard]] std::vector<CountedInterval> counted_intervals(std::span<RefinedBucket const> buckets,
                                                             std::uint32_t child_count);

} // namespace keyswap::model
