#include "model/keys/key_order.hpp"

#include "model/keys/parallel.hpp"
#include "traces/errors/contracts.hpp"

namespace keyswap::model {

namespace {

template <class Image, class Function>
void for_each_word(std::span<Image> words, Function function) {
    parallel_ranges(words.size(), 1 << 16, [&](std::uint64_t begin, std::uint64_t end) {
        for (std::uint64_t i = begin; i < end; ++i) {
            words[i] = function(words[i]);
        }
    });
}

} // namespace

template <class Image>
void to_images(KeyType type, Direction direction, ZeroOrder zero_order, std::span<Image> words) {
    KEYSWAP_EXPECTS(key_size_bytes(type) == sizeof(Image));
    with_key_type(type, [&]<class T>(T) {
        if constexpr (sizeof(T) == sizeof(Image)) {
            for_each_word(words, [=](Image word) {
                return canonical_image<T>(
                    image_of(std::bit_cast<T>(word), direction), zero_order, direction);
            });
        }
    });
}

template <class Image>
void to_keys(KeyType type, Direction direction, std::span<Image> words) {
    KEYSWAP_EXPECTS(key_size_bytes(type) == sizeof(Image));
    with_key_type(type, [&]<class T>(T) {
        if constexpr (sizeof(T) == sizeof(Image)) {
            for_each_word(words, [=](Image word) {
                return std::bit_cast<Image>(key_of<T>(word, direction));
            });
        }
    });
}

template void to_images(KeyType, Direction, ZeroOrder, std::span<std::uint32_t>);
template void to_images(KeyType, Direction, ZeroOrder, std::span<std::uint64_t>);
template void to_images(KeyType, Direction, ZeroOrder, std::span<uint128>);
template void to_keys(KeyType, Direction, std::span<std::uint32_t>);
template void to_keys(KeyType, Direction, std::span<std::uint64_t>);
template void to_keys(KeyType, Direction, std::span<uint128>);

} // namespace keyswap::model
