#pragma once

/// \file For tests of key-value sorts: each value is the index of its key in the input.

#include "traces/records/key_type.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

namespace keyswap::testing {

/// 0 .. count - 1 packed in the type's width, little-endian; empty for ValueType::none.
inline std::vector<std::byte> index_values(std::uint64_t count, ValueType type) {
    std::size_t const width = value_size_bytes(type);
    std::vector<std::byte> bytes(count * width);
    for (std::uint64_t i = 0; width > 0 && i < count; ++i) {
        std::memcpy(bytes.data() + i * width, &i, width); // little-endian: the low bytes
    }
    return bytes;
}

/// The inverse of index_values() for any packed values: each zero-extended to 64 bits.
inline std::vector<std::uint64_t> unpacked_values(std::vector<std::byte> const& bytes,
                                                  ValueType type) {
    std::size_t const width = value_size_bytes(type);
    std::vector<std::uint64_t> values;
    for (std::size_t at = 0; width > 0 && at < bytes.size(); at += width) {
        std::uint64_t value = 0;
        std::memcpy(&value, bytes.data() + at, width);
        values.push_back(value);
    }
    return values;
}

} // namespace keyswap::testing
