#pragma once

/// \file Key and value types, orders and stability of a sort; shared by model and kernels.

#include "traces/errors/input_error.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace keyswap {

enum class KeyType { u32, u64, i32, i64, f32, f64, u128, i128, b128 };

/// How a key's bits are compared. `bytes` compares as memcmp does: UUIDs, IPv6 addresses, string
/// prefixes. A 128-bit decimal is a signed integer.
enum class KeyKind { unsigned_integer, signed_integer, floating, bytes };

/// The properties of a key type that do not follow from its kind and width.
struct KeyTraits {
    KeyType type;
    std::size_t size_bytes;
    KeyKind kind;
    std::string_view name;
    std::string_view published_name; ///< "uint32", the name in other programs
    std::string_view c_name;         ///< "float"; empty if C has no one-word name for it
    std::string_view numpy;          ///< little-endian dtype descriptor; empty if NumPy has none
};

/// One row for each key type, in the order of the enumeration and of lists. Types of at most
/// 64 bits come first: narrow_key_types is a prefix of the table.
inline constexpr std::array key_traits{
    KeyTraits{KeyType::u32, 4, KeyKind::unsigned_integer, "u32", "uint32", "", "<u4"},
    KeyTraits{KeyType::u64, 8, KeyKind::unsigned_integer, "u64", "uint64", "", "<u8"},
    KeyTraits{KeyType::i32, 4, KeyKind::signed_integer, "i32", "int32", "", "<i4"},
    KeyTraits{KeyType::i64, 8, KeyKind::signed_integer, "i64", "int64", "", "<i8"},
    KeyTraits{KeyType::f32, 4, KeyKind::floating, "f32", "float32", "float", "<f4"},
    KeyTraits{KeyType::f64, 8, KeyKind::floating, "f64", "float64", "double", "<f8"},
    KeyTraits{KeyType::u128, 16, KeyKind::unsigned_integer, "u128", "uint128", "", ""},
    KeyTraits{KeyType::i128, 16, KeyKind::signed_integer, "i128", "int128", "", ""},
    KeyTraits{KeyType::b128, 16, KeyKind::bytes, "b128", "bytes16", "", "|S16"}};

[[nodiscard]] constexpr KeyTraits const& traits_of(KeyType type) {
    return key_traits[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr KeyKind kind_of(KeyType type) {
    return traits_of(type).kind;
}
[[nodiscard]] constexpr bool is_floating(KeyType type) {
    return kind_of(type) == KeyKind::floating;
}
/// \pre a key type with this kind and size exists
[[nodiscard]] constexpr KeyType key_type_with(KeyKind kind, std::size_t size_bytes) {
    std::size_t row = 0;
    while (key_traits[row].kind != kind || key_traits[row].size_bytes != size_bytes) {
        ++row;
    }
    return key_traits[row].type;
}

/// All key types, in the order of the enumeration.
inline constexpr auto every_key_type = [] {
    std::array<KeyType, key_traits.size()> types{};
    for (std::size_t i = 0; i < types.size(); ++i) {
        types[i] = key_traits[i].type;
    }
    return types;
}();
/// The key types of at most 64 bits.
inline constexpr std::span narrow_key_types = [] {
    std::size_t count = 0;
    while (count < key_traits.size() && key_traits[count].size_bytes <= sizeof(std::uint64_t)) {
        ++count;
    }
    return std::span<KeyType const>(every_key_type).first(count);
}();

enum class Direction { ascending, descending };

/// Width of each key's value; `none`: keys only.
enum class ValueType { none, bits32, bits64 };

enum class Stability { unstable, stable };

/// How -0.0 compares with +0.0: below it (IEEE 754 total order) or equal (as in CUB).
enum class ZeroOrder { total, equal };

/// Position of NaNs in sorted order.
enum class NanOrder {
    total, ///< at both ends, by sign and payload bits (IEEE 754 total order)
    first, ///< all before the numbers, in unspecified order
    last   ///< all after the numbers, in unspecified order
};

[[nodiscard]] constexpr std::size_t key_size_bytes(KeyType type) {
    return traits_of(type).size_bytes;
}
[[nodiscard]] constexpr int key_bits(KeyType type) {
    return static_cast<int>(8 * key_size_bytes(type));
}
[[nodiscard]] std::size_t value_size_bytes(ValueType type);

/// "u32", "f64" ...: the name in key_traits.
[[nodiscard]] constexpr std::string_view to_string(KeyType type) {
    return traits_of(type).name;
}
/// "ascending" or "descending".
[[nodiscard]] std::string_view to_string(Direction direction);
/// "none", "32" or "64".
[[nodiscard]] std::string_view to_string(ValueType type);
/// "unstable" or "stable".
[[nodiscard]] std::string_view to_string(Stability stability);
/// "total" or "equal".
[[nodiscard]] std::string_view to_string(ZeroOrder order);
/// "total", "first" or "last".
[[nodiscard]] std::string_view to_string(NanOrder order);

/// The names joined by ", "; a `last_separator` of " or " gives "u32, u64 or i32".
[[nodiscard]] std::string key_type_list(std::span<KeyType const> types,
                                        std::string_view last_separator = ", ");

/// The inverse of to_string(); also accepts published and C names such as "uint32" and "double".
[[nodiscard]] Expected<KeyType> parse_key_type(std::string_view text);
[[nodiscard]] Expected<Direction> parse_direction(std::string_view text);
[[nodiscard]] Expected<ValueType> parse_value_type(std::string_view text);
[[nodiscard]] Expected<Stability> parse_stability(std::string_view text);
[[nodiscard]] Expected<ZeroOrder> parse_zero_order(std::string_view text);
[[nodiscard]] Expected<NanOrder> parse_nan_order(std::string_view text);

} // namespace keyswap
