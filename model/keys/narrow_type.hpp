#pragma once

/// \file Keys of 8 and 16 bits in files. They are read as keys of 32 bits that have the same values
/// and, bit by bit, the same order, NaNs included; sorts know no such keys.

#include "traces/records/key_type.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace keyswap::model {

enum class NarrowType { u8, u16, i8, i16, f16, bf16 };

inline constexpr std::array narrow_types{NarrowType::u8,
                                         NarrowType::u16,
                                         NarrowType::i8,
                                         NarrowType::i16,
                                         NarrowType::f16,
                                         NarrowType::bf16};

/// "u8", "u16", "i8", "i16", "f16" (IEEE 754's binary16) or "bf16" (the upper half of an f32).
[[nodiscard]] std::string_view to_string(NarrowType type);
/// The inverse; nothing for other words.
[[nodiscard]] std::optional<NarrowType> narrow_type_of(std::string_view text);
[[nodiscard]] std::size_t narrow_size_bytes(NarrowType type);
/// What such keys are read as: u32, i32 or f32.
[[nodiscard]] KeyType widened_type(NarrowType type);

/// The whole numbers that a type holds.
struct WholeRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
};
/// Nothing for floats.
[[nodiscard]] std::optional<WholeRange> whole_range(NarrowType type);

/// Fills the front of `wide` with the keys that `narrow` holds. Both may share memory where narrow
/// ends with, or behind, its widened keys, as WordReader has it.
/// \pre whole keys, and wide has four bytes for each
void widen(NarrowType type, std::span<std::byte const> narrow, std::span<std::byte> wide);

} // namespace keyswap::model
