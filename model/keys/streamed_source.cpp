#include "model/keys/streamed_source.hpp"

#include "model/keys/interval_slots.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/parallel_counting.hpp"
#include "traces/errors/contracts.hpp"

#include <array>

namespace keyswap::model {

namespace {

/// Keys made at a time; the buffer fits in a core's first-level cache.
constexpr std::uint64_t batch_size = 2048;

template <class Image, class Slots>
void count_generated(KeyGenerator const& generator,
                     Direction direction,
                     Slots const& slots,
                     IndexRange range,
                     std::span<std::uint64_t> counters) {
    std::array<Image, batch_size> buffer;
    Image const flip =
        direction == Direction::descending ? static_cast<Image>(~Image{0}) : Image{0};
    for (std::uint64_t begin = range.begin; begin < range.end; begin += batch_size) {
        auto const batch = std::span(buffer).first(
            static_cast<std::size_t>(std::min(batch_size, range.end - begin)));
        generator.images(begin, batch);
        for (Image& image : batch) {
            image ^= flip;
        }
        slots.count(std::span<Image const>(batch), counters);
    }
}

} // namespace

std::vector<BucketHistogram> StreamedSource::histograms(Chunks const& chunks,
                                                        DigitLayout const& layout,
                                                        std::span<BucketPrefix const> buckets) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    KEYSWAP_EXPECTS(layout.key_bits() == key_bits(generator_.request().key_type));
    if (buckets.empty()) {
        return {};
    }
    std::uint32_t const digits = layout.digit_count(buckets.front().pass + 1);
    BucketSlots const slots(layout, buckets);
    return layout.key_bits() == 32 ? count<std::uint32_t>(chunks, slots, digits, buckets)
                                   : count<std::uint64_t>(chunks, slots, digits, buckets);
}

std::vector<BucketHistogram> StreamedSource::histograms(Chunks const& chunks,
                                                        std::span<RefinedBucket const> buckets,
                                                        std::uint32_t child_count) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    if (buckets.empty()) {
        return {};
    }
    return with_image_type(generator_.request().key_type, [&]<class Image>(Image) {
        IntervalSlots<SearchWord<Image>> const slots(counted_intervals(buckets, child_count),
                                                     8 * sizeof(Image));
        return count<Image>(chunks, slots, child_count, prefixes_of(buckets));
    });
}

template <class Image, class Slots>
std::vector<BucketHistogram> StreamedSource::count(Chunks const& chunks,
                                                   Slots const& slots,
                                                   std::uint32_t digits,
                                                   std::span<BucketPrefix const> buckets) {
    std::uint64_t const all = ++sweeps_ * key_count();
    return count_chunks(
        chunks, digits, buckets, [&](IndexRange range, std::span<std::uint64_t> counters) {
            count_generated<Image>(generator_, direction_, slots, range, counters);
            if (on_keys_counted_) {
                on_keys_counted_(range.size(), all);
            }
        });
}

std::vector<uint128> StreamedSource::images_at(std::span<std::uint64_t const> positions) {
    return generated_images(generator_, direction_, positions);
}

} // namespace keyswap::model
