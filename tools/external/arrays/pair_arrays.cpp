#include "tools/external/arrays/pair_arrays.hpp"

#include <cstring>
#include <type_traits>

namespace keyswap::tools {

namespace {

/// Calls `function` with the width in bytes of a key or value as a compile-time constant.
template <class Function>
decltype(auto) with_width(std::size_t bytes, Function const& function) {
    switch (bytes) {
    case 4:
        return function(std::integral_constant<std::size_t, 4>{});
    case 8:
        return function(std::integral_constant<std::size_t, 8>{});
    default:
        return function(std::integral_constant<std::size_t, 16>{});
    }
}

/// Calls `move(record, key, value)` for each record.
template <class Move>
void for_each_pair(model::RecordLayout const& layout,
                   auto records,
                   RangeArrays const& arrays,
                   Move const& move) {
    with_width(layout.key_bytes, [&](auto key_bytes) {
        with_width(layout.record_bytes - layout.key_bytes, [&](auto value_bytes) {
            constexpr std::size_t size = key_bytes + value_bytes;
            std::size_t const count = records.size() / size;
            for (std::size_t i = 0; i < count; ++i) {
                move(records.data() + i * size,
                     arrays.keys.data() + i * key_bytes,
                     key_bytes,
                     arrays.values.data() + i * value_bytes,
                     value_bytes);
            }
        });
    });
}

} // namespace

RangeArrays part_of_arrays(model::RecordLayout const& layout,
                           RangeArrays const& arrays,
                           std::uint64_t first,
                           std::uint64_t count) {
    std::size_t const value_bytes = layout.record_bytes - layout.key_bytes;
    return {arrays.keys.subspan(first * layout.key_bytes, count * layout.key_bytes),
            arrays.values.subspan(first * value_bytes, count * value_bytes),
            {},
            {}};
}

void split_records(model::RecordLayout const& layout,
                   std::span<std::byte const> records,
                   RangeArrays const& to) {
    if (to.values.empty()) {
        std::memcpy(to.keys.data(), records.data(), records.size());
        return;
    }
    for_each_pair(layout,
                  records,
                  to,
                  [](std::byte const* record,
                     std::byte* key,
                     auto key_bytes,
                     std::byte* value,
                     auto value_bytes) {
                      std::memcpy(key, record, key_bytes);
                      std::memcpy(value, record + key_bytes, value_bytes);
                  });
}

void join_records(model::RecordLayout const& layout,
                  RangeArrays const& from,
                  std::span<std::byte> records) {
    if (from.values.empty()) {
        std::memcpy(records.data(), from.keys.data(), records.size());
        return;
    }
    for_each_pair(layout,
                  records,
                  from,
                  [](std::byte* record,
                     std::byte const* key,
                     auto key_bytes,
                     std::byte const* value,
                     auto value_bytes) {
                      std::memcpy(record, key, key_bytes);
                      std::memcpy(record + key_bytes, value, value_bytes);
                  });
}

} // namespace keyswap::tools
