#include "tools/text/bucket_name.hpp"

#include "model/keys/key_order.hpp"
#include "model/keys/key_text.hpp"
#include "tools/text/number_text.hpp"

#include <span>

namespace keyswap::tools {

std::string digits_name(std::uint64_t prefix, int bits_read, int bits_below) {
    auto const number = static_cast<unsigned long long>(prefix);
    if (bits_read % 4 != 0) {
        return formatted("0x%llx/%d bits", number, bits_read);
    }
    return (bits_read == 0 ? "0x" : formatted("0x%0*llx", bits_read / 4, number)) +
           std::string(static_cast<std::size_t>(bits_below) / 4, '_');
}

std::string key_name(SortShape const& shape, KeyImage image) {
    return model::with_key_type(shape.key_type, [&]<class Key>(Key) {
        Key const key = model::key_of<Key>(static_cast<model::ImageOf<Key>>(model::wide(image)),
                                           shape.direction);
        return model::key_text(shape.key_type, std::as_bytes(std::span(&key, 1)));
    });
}

std::string
bucket_name(model::BucketSpace const& space, SortShape const& shape, BucketPrefix bucket) {
    auto const images = space.images_of(bucket);
    if (!images) {
        return "pass " + std::to_string(bucket.pass);
    }
    if (auto const* const layout = space.digits()) {
        int const below = layout->bits_below(bucket.pass);
        return digits_name(bucket.prefix, layout->key_bits() - below, below);
    }
    std::string const lowest = key_name(shape, model::key_image(images->lowest));
    return images->single_valued()
               ? lowest
               : lowest + " to " + key_name(shape, model::key_image(images->highest));
}

} // namespace keyswap::tools
