#include "model/distributions/streamed_source.hpp"

namespace keyswap::model {

void StreamedSource::read_images(std::uint64_t first, ImageSpan const& images) {
    std::visit(
        [&]<class Image>(std::span<Image> words) {
            generator_.images(first, words);
            if (direction_ == Direction::descending) {
                for (Image& image : words) {
                    image = static_cast<Image>(~image);
                }
            }
        },
        images);
}

std::vector<uint128> StreamedSource::images_at(std::span<std::uint64_t const> positions) {
    return generated_images(generator_, direction_, positions);
}

} // namespace keyswap::model
