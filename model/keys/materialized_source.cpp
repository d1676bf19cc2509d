#include "model/keys/materialized_source.hpp"

#include "model/keys/interval_slots.hpp"
#include "model/keys/parallel_counting.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::model {

std::uint64_t MaterializedSource::key_count() const {
    return std::visit([](auto images) -> std::uint64_t { return images.size(); }, images_);
}

std::vector<BucketHistogram> MaterializedSource::histograms(Chunks const& chunks,
                                                            DigitLayout const& layout,
                                                            std::span<BucketPrefix const> buckets) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    if (buckets.empty()) {
        return {};
    }
    BucketSlots const slots(layout, buckets);
    std::uint32_t const digits = slots.digit_count();
    return std::visit(
        [&]<class Image>(std::span<Image const> images) -> std::vector<BucketHistogram> {
            if constexpr (sizeof(Image) > sizeof(std::uint64_t)) {
                KEYSWAP_EXPECTS(layout.key_bits() <= 64); // digits are read from 64-bit images
                return {};
            } else {
                return count_chunks(chunks,
                                    digits,
                                    buckets,
                                    [&](IndexRange range, std::span<std::uint64_t> counters) {
                                        slots.count(images.subspan(range.begin, range.size()),
                                                    counters);
                                    });
            }
        },
        images_);
}

std::vector<BucketHistogram> MaterializedSource::histograms(Chunks const& chunks,
                                                            std::span<RefinedBucket const> buckets,
                                                            std::uint32_t child_count) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    if (buckets.empty()) {
        return {};
    }
    auto const prefixes = prefixes_of(buckets);
    return std::visit(
        [&]<class Image>(std::span<Image const> images) {
            IntervalSlots<SearchWord<Image>> const slots(counted_intervals(buckets, child_count),
                                                         8 * sizeof(Image));
            return count_chunks(chunks,
                                child_count,
                                prefixes,
                                [&](IndexRange range, std::span<std::uint64_t> counters) {
                                    slots.count(images.subspan(range.begin, range.size()),
                                                counters);
                                });
        },
        images_);
}

std::vector<uint128> MaterializedSource::images_at(std::span<std::uint64_t const> positions) {
    std::vector<uint128> result;
    result.reserve(positions.size());
    std::visit(
        [&](auto images) {
            for (std::uint64_t const position : positions) {
                result.push_back(images[position]);
            }
        },
        images_);
    return result;
}

} // namespace keyswap::model
