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

/// What is known of a narrow type. Its keys are read as those of 32 bits of the same kind.
struct NarrowTraits {
    NarrowType type;
    std::size_t size_bytes;
    KeyKind kind;
    std::string_view name;           ///< f16 is IEEE 754's binary16, bf16 the upper half of an f32
    std::string_view published_name; ///< "uint8", as other programs spell it
    std::string_view numpy;          ///< descriptor of little-endian keys; empty if NumPy has none
};

/// A row for each narrow type, in the order of the enumeration and of lists.
inline constexpr std::array narrow_traits{
    NarrowTraits{NarrowType::u8, 1, KeyKind::unsigned_integer, "u8", "uint8", "|u1"},
    NarrowTraits{NarrowType::u16, 2, KeyKind::unsigned_integer, "u16", "uint16", "<u2"},
    NarrowTraits{NarrowType::i8, 1, KeyKind::signed_integer, "i8", "int8", "|i1"},
    NarrowTraits{NarrowType::i16, 2, KeyKind::signed_integer, "i16", "int16", "<i2"},
    NarrowTraits{NarrowType::f16, 2, KeyKind::floating, "f16", "float16", "<f2"},
    NarrowTraits{NarrowType::bf16, 2, KeyKind::floating, "bf16", "bfloat16", ""}};

[[nodiscard]] constexpr NarrowTraits const& traits_of(NarrowType type) {
    return narrow_traits[static_cast<std::size_t>(type)];
}
[[nodiscard]] constexpr std::string_view to_string(NarrowType type) {
    return traits_of(type).name;
}
/// The inverse; nullopt for other words.
[[nodiscard]] std::optional<NarrowType> narrow_type_of(std::string_view text);
[[nodiscard]] constexpr std::size_t narrow_size_bytes(NarrowType type) {
    return traits_of(type).size_bytes;
}
/// What such keys are read as: u32, i32 or f32.
[[nodiscard]] constexpr KeyType widened_type(NarrowType type) {
    return key_type_with(traits_of(type).kind, sizeof(std::uint32_t));
}

/// "u16" if keys are narrow, else the key type's name.
[[nodiscard]] constexpr std::string_view stored_type_name(KeyType type,
                                                          std::optional<NarrowType> narrow) {
    return narrow ? to_string(*narrow) : to_string(type);
}

/// The whole numbers that a type holds.
struct WholeRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
};
/// nullopt for floats.
[[nodiscard]] std::optional<WholeRange> whole_range(NarrowType type);

/// Fills the front of `wide` with the keys that `narrow` holds. Both may share memory where narrow
/// ends with, or behind, its widened keys, as WordReader has it.
/// \pre whole keys, and wide has four bytes for each
void widen(NarrowType type, std::span<std::byte const> narrow, std::span<std::byte> wide);

} // namespace keyswap::model
