#pragma once

#include "traces/errors/contracts.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace keyswap::model {

/// Stands for "keys alone": takes no memory and no time.
struct NoValue {};

/// Keys as order-preserving images and the values that travel with them, in host memory.
/// `values` is as long as `keys`, or empty where Value is NoValue.
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

/// The value of element `index` as the digest takes it; 0 for keys alone.
template <class Image, class Value>
[[nodiscard]] std::uint64_t value_word(KeyArrays<Image, Value> const& arrays, std::size_t index) {
    if constexpr (requires { std::uint64_t{arrays.values[index]}; }) {
        return arrays.values[index];
    } else {
        return 0;
    }
}

} // namespace keyswap::model
