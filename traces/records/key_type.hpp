#pragma once

/// \file The vocabulary of a sort's configuration, shared by model and kernels.

#include "traces/errors/input_error.hpp"

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace keyswap {

/// b128 keys are 16 bytes in the order of memcmp: UUIDs, IPv6 addresses, the beginnings of strings.
/// A decimal of 128 bits is an i128.
enum class KeyType { u32, u64, i32, i64, f32, f64, u128, i128, b128 };

/// All of them, in the order of lists.
inline constexpr std::array every_key_type{KeyType::u32,
                                           KeyType::u64,
                                           KeyType::i32,
                                           KeyType::i64,
                                           KeyType::f32,
                                           KeyType::f64,
                                           KeyType::u128,
                                           KeyType::i128,
                                           KeyType::b128};
/// Those of at most 64 bits.
inline constexpr std::span narrow_key_types = std::span(every_key_type).first<6>();

enum class Direction { ascending, descending };

/// Width of the value that travels with each key.
enum class ValueType { none, bits32, bits64 };

enum class Stability { unstable, stable };

/// How -0.0 compares with +0.0: IEEE 754 total order, or equal as CUB treats them.
enum class ZeroOrder { total, equal };

[[nodiscard]] int key_bits(KeyType type);
[[nodiscard]] std::size_t key_size_bytes(KeyType type);
[[nodiscard]] std::size_t value_size_bytes(ValueType type);

/// "u32", "u64", "i32", "i64", "f32", "f64", "u128", "i128", "b128".
[[nodiscard]] std::string_view to_string(KeyType type);
/// "ascending" or "descending".
[[nodiscard]] std::string_view to_string(Direction direction);
/// "none", "32" or "64".
[[nodiscard]] std::string_view to_string(ValueType type);
/// "unstable" or "stable".
[[nodiscard]] std::string_view to_string(Stability stability);
/// "total" or "equal".
[[nodiscard]] std::string_view to_string(ZeroOrder order);

/// The inverse of to_string; published spellings such as "uint32" and "float64" are accepted too.
[[nodiscard]] Expected<KeyType> parse_key_type(std::string_view text);
[[nodiscard]] Expected<Direction> parse_direction(std::string_view text);
[[nodiscard]] Expected<ValueType> parse_value_type(std::string_view text);
[[nodiscard]] Expected<Stability> parse_stability(std::string_view text);
[[nodiscard]] Expected<ZeroOrder> parse_zero_order(std::string_view text);

} // namespace keyswap
