#include "model/keys/swept_source.hpp"

#include "model/keys/interval_slots.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/parallel_counting.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::model {

template <class Image, class Slots>
std::vector<BucketHistogram> SweptSource::count(Chunks const& chunks,
                                                Slots const& slots,
                                                std::uint32_t digits,
                                                std::span<BucketPrefix const> buckets) {
    std::uint64_t const all = ++sweeps_ * key_count();
    auto counted = count_chunks(
        chunks, digits, buckets, [&](IndexRange range, std::span<std::uint64_t> counters) {
            std::vector<Image> buffer(
                static_cast<std::size_t>(std::min(batch_size_, range.size())));
            for (std::uint64_t begin = range.begin; begin < range.end; begin += batch_size_) {
                auto const batch = std::span(buffer).first(
                    static_cast<std::size_t>(std::min(batch_size_, range.end - begin)));
                read_images(begin, std::span(batch));
                slots.count(std::span<Image const>(batch), counters);
            }
            if (on_keys_counted_) {
                on_keys_counted_(range.size(), all);
            }
        });
    end_sweep();
    return counted;
}

std::vector<BucketHistogram> SweptSource::histograms(Chunks const& chunks,
                                                     DigitLayout const& layout,
                                                     std::span<BucketPrefix const> buckets) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    KEYSWAP_EXPECTS(layout.key_bits() == key_bits(key_type_));
    if (buckets.empty()) {
        return {};
    }
    std::uint32_t const digits = layout.digit_count(buckets.front().pass + 1);
    BucketSlots const slots(layout, buckets);
    return layout.key_bits() == 32 ? count<std::uint32_t>(chunks, slots, digits, buckets)
                                   : count<std::uint64_t>(chunks, slots, digits, buckets);
}

std::vector<BucketHistogram> SweptSource::histograms(Chunks const& chunks,
                                                     std::span<RefinedBucket const> buckets,
                                                     std::uint32_t child_count) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    if (buckets.empty()) {
        return {};
    }
    return with_image_type(key_type_, [&]<class Image>(Image) {
        IntervalSlots<SearchWord<Image>> const slots(counted_intervals(buckets, child_count),
                                                     8 * sizeof(Image));
        return count<Image>(chunks, slots, child_count, prefixes_of(buckets));
    });
}

} // namespace keyswap::model
