#pragma once

#include "model/keys/key_arrays.hpp"

#include <cstdint>
#include <type_traits>
#include <vector>

namespace keyswap::model {

/// Owns a rank's keys and values.
template <class Image, class Value>
struct RankKeys {
    std::vector<Image> keys;
    std::vector<Value> values; ///< empty if Value is NoValue

    [[nodiscard]] static RankKeys of_size(std::uint64_t count) {
        return {std::vector<Image>(count),
                std::vector<Value>(std::is_same_v<Value, NoValue> ? 0 : count)};
    }
    [[nodiscard]] KeyArrays<Image, Value> arrays() { return {keys, values}; }
};

} // namespace keyswap::model
