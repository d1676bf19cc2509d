#include "model/keys/stored_source.hpp"

#include "model/keys/interval_slots.hpp"
#include "model/keys/key_order.hpp"
#include "model/keys/parallel_counting.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::model {

namespace {

constexpr std::uint64_t stored_batch_size = std::uint64_t{1}
                                            << 14; ///< 64 to 256 KiB: fits in an L2

} // namespace

template <class Image>
void StoredSource::read_images(std::uint64_t first, std::span<Image> images) {
    if (auto const read = keys_.read(first, std::as_writable_bytes(images)); !read) {
        std::scoped_lock const lock(error_mutex_);
        error_ = error_ ? error_ : read.error();
        std::ranges::fill(images, Image{0});
        return;
    }
    to_images(keys_.key_type(), direction_, zero_order_, images);
}

template <class Image, class Slots>
std::vector<BucketHistogram> StoredSource::count(Chunks const& chunks,
                                                 Slots const& slots,
                                                 std::uint32_t digits,
                                                 std::span<BucketPrefix const> buckets) {
    std::uint64_t const all = ++sweeps_ * key_count();
    return count_chunks(
        chunks, digits, buckets, [&](IndexRange range, std::span<std::uint64_t> counters) {
            std::vector<Image> buffer(
                static_cast<std::size_t>(std::min(stored_batch_size, range.size())));
            for (std::uint64_t begin = range.begin; begin < range.end; begin += stored_batch_size) {
                auto const batch = std::span(buffer).first(
                    static_cast<std::size_t>(std::min(stored_batch_size, range.end - begin)));
                read_images(begin, batch);
                slots.count(std::span<Image const>(batch), counters);
            }
            if (on_keys_counted_) {
                on_keys_counted_(range.size(), all);
            }
        });
}

std::vector<BucketHistogram> StoredSource::histograms(Chunks const& chunks,
                                                      DigitLayout const& layout,
                                                      std::span<BucketPrefix const> buckets) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    KEYSWAP_EXPECTS(layout.key_bits() == key_bits(keys_.key_type()));
    if (buckets.empty()) {
        return {};
    }
    std::uint32_t const digits = layout.digit_count(buckets.front().pass + 1);
    BucketSlots const slots(layout, buckets);
    return layout.key_bits() == 32 ? count<std::uint32_t>(chunks, slots, digits, buckets)
                                   : count<std::uint64_t>(chunks, slots, digits, buckets);
}

std::vector<BucketHistogram> StoredSource::histograms(Chunks const& chunks,
                                                      std::span<RefinedBucket const> buckets,
                                                      std::uint32_t child_count) {
    KEYSWAP_EXPECTS(chunks.key_count() == key_count());
    if (buckets.empty()) {
        return {};
    }
    return with_image_type(keys_.key_type(), [&]<class Image>(Image) {
        IntervalSlots<SearchWord<Image>> const slots(counted_intervals(buckets, child_count),
                                                     8 * sizeof(Image));
        return count<Image>(chunks, slots, child_count, prefixes_of(buckets));
    });
}

std::vector<uint128> StoredSource::images_at(std::span<std::uint64_t const> positions) {
    std::vector<uint128> images;
    images.reserve(positions.size());
    with_image_type(keys_.key_type(), [&]<class Image>(Image) {
        for (std::uint64_t const position : positions) {
            Image image{0};
            read_images(position, std::span(&image, 1));
            images.push_back(image);
        }
    });
    return images;
}

} // namespace keyswap::model
