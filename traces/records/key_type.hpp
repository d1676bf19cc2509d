#pragma once

/// \file The vocabulary of a sort's configuration, shared by model and kernels.

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <string_view>

namespace keyswap {

enum class KeyType { u32, u64, i32, i64, f32, f64 };

enum class Direction { ascending, descending };

/// Width of the value that travels with each key.
enum class ValueType { none, bits32, bits64 };

enum class Stability { unstable, stable };

/// How -0.0 compares with +0.0: IEEE 754 total order, or equal as CUB treats them.
enum class ZeroOrder { total, equal };

[[nodiscard]] int key_bits(KeyType type);
[[nodiscard]] std::size_t key_size_bytes(KeyType type);
[[nodiscard]] std::size_t value_size_bytes(ValueType type);

/// "u32", "u64", "i32", "i64", "f32", "f64".
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
