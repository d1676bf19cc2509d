#include "model/key_files/stored_source.hpp"

#include "model/keys/key_order.hpp"

#include <algorithm>
#include <vector>

namespace keyswap::model {

void StoredSource::read_images(std::uint64_t first, ImageSpan const& images) {
    std::visit(
        [&]<class Image>(std::span<Image> words) {
            if (auto const read = keys_.read(first, std::as_writable_bytes(words)); !read) {
                std::scoped_lock const lock(error_mutex_);
                error_ = error_ ? error_ : read.error();
                std::ranges::fill(words, Image{0});
                return;
            }
            to_images(keys_.key_type(), direction_, zero_order_, words);
        },
        images);
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
    end_sweep();
    return images;
}

void StoredSource::end_sweep() {
    if (error_) {
        throw UnreadableKeys(*error_);
    }
    if (auto const unchanged = keys_.unchanged(); !unchanged) {
        throw UnreadableKeys(unchanged.error());
    }
}

} // namespace keyswap::model
