#include "model/keys/digit_edges.hpp"

#include "model/buckets/mirrored_bucket.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::model {

DigitEdges::DigitEdges(KeyGenerator const& generator,
                       DigitLayout const& layout,
                       std::span<BucketPrefix const> buckets,
                       Direction direction)
    : layout_(layout), digit_count_(0), buckets_(buckets.begin(), buckets.end()) {
    KEYSWAP_EXPECTS(!buckets.empty());
    if (direction == Direction::descending) {
        for (BucketPrefix& bucket : buckets_) {
            bucket = mirrored_bucket(layout, bucket);
        }
        std::ranges::reverse(buckets_);
    }
    KEYSWAP_EXPECTS(std::ranges::is_sorted(buckets_));
    digit_count_ = layout.digit_count(buckets_.front().pass + 1);
    QuantileTable const& table = generator.recipe().table;
    edges_.reserve(buckets_.size() * (std::size_t{digit_count_} + 1));
    auto const append = [&](uint128 fractions) {
        edges_.push_back({fractions, generator.first_rank_from(fractions)});
    };
    for (BucketPrefix const bucket : buckets_) {
        for (std::uint32_t digit = 0; digit < digit_count_; ++digit) {
            append(table.fractions_below(layout.lowest_image(layout.child(bucket, digit))));
        }
        append(table.fractions_up_to(layout.highest_image(bucket)));
    }
}

DigitEdges::Reach DigitEdges::reach(uint128 low, uint128 high) const {
    auto const above = std::ranges::upper_bound(edges_, low, {}, &Edge::fractions);
    auto const beyond = std::ranges::lower_bound(edges_, high, {}, &Edge::fractions);
    auto const index = [&](auto place) { return static_cast<std::size_t>(place - edges_.begin()); };
    return {above == edges_.begin() ? 0 : index(above) - 1,
            std::min(index(beyond), edges_.size() - 1)};
}

std::optional<std::size_t> DigitEdges::slot_of(uint128 image) const {
    int const pass = buckets_.front().pass;
    auto const word = static_cast<std::uint64_t>(image); // digits are read from narrower keys
    BucketPrefix const holder{pass, layout_.prefix(word, pass)};
    auto const found = std::ranges::lower_bound(buckets_, holder);
    if (found == buckets_.end() || *found != holder) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(found - buckets_.begin()) * digit_count_ +
           layout_.digit(word, pass + 1);
}

} // namespace keyswap::model
