#include "model/materialized_source.hpp"

#include "model/parallel_counting.hpp"
#include "traces/contracts.hpp"

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
    return std::visit(
        [&](auto images) {
            return count_chunks(
                chunks, layout, buckets, [&](IndexRange range, std::span<std::uint64_t> counters) {
                    slots.count(images.subspan(range.begin, range.size()), counters);
                });
        },
        images_);
}

} // namespace keyswap::model
