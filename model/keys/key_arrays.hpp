#pragma once

#include "model/keys/wide_integer.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/records/sequence_digest.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace keyswap::model {

/// Value type of keys without values; the sorts allocate and move nothing for it.
struct NoValue {};

/// Keys as order-preserving images, with the values that move with them, in host memory.
/// `values` is as long as `keys`, or empty if Value is NoValue.
template <class Image, class Value>
struct KeyArrays {
    std::span<Image> keys;
    std::span<Value> values;

    [[nodiscard]] std::size_t size() const { return keys.size(); }

    [[nodiscard]] KeyArrays part(std::size_t offset, std::size_t count) const {
        KEYSWAP_EXPECTS(offset + count <= keys.size());
        return {keys.subspan(offset, count),
                values.empty() ? values : values.subspan(offset, count)};
    }
};

/// The value of element `index` as a word of the digest; 0 for keys without values.
template <class Image, class Value>
[[nodiscard]] std::uint64_t value_word(KeyArrays<Image, Value> const& arrays, std::size_t index) {
    if constexpr (requires { std::uint64_t{arrays.values[index]}; }) {
        return arrays.values[index];
    } else {
        return 0;
    }
}

/// The digest of one key of any width together with its value.
template <class Image>
[[nodiscard]] MultisetDigest element_digest(Image image, std::uint64_t value) {
    if constexpr (sizeof(Image) > sizeof(std::uint64_t)) {
        return digest_of_wide(key_image(image), value);
    } else {
        return digest_of(image, value);
    }
}

/// Calls `instantiate(Image, Value)` for each combination of types that KeyArrays supports.
// clang-format off
#define KEYSWAP_FOR_EACH_KEY_ARRAYS(instantiate) \
    instantiate(std::uint32_t, ::keyswap::model::NoValue) instantiate(std::uint32_t, std::uint32_t) instantiate(std::uint32_t, std::uint64_t) \
    instantiate(std::uint64_t, ::keyswap::model::NoValue) instantiate(std::uint64_t, std::uint32_t) instantiate(std::uint64_t, std::uint64_t) \
    instantiate(::keyswap::model::uint128, ::keyswap::model::NoValue) instantiate(::keyswap::model::uint128, std::uint32_t) instantiate(::keyswap::model::uint128, std::uint64_t)
// clang-format on

} // namespace keyswap::model
