#pragma once

/// \file 8-bit and 16-bit keys in files. Readers widen them to 32-bit keys with the same values and
/// the same order, NaNs included; the sorts never see narrow keys.

#include "traces/records/key_type.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace keyswap::model {

enum class NarrowType { u8, u16, i8, i16, f16, bf16 };

/// Properties of a narrow type, which is read as the 32-bit type of the same kind.
struct NarrowTraits {
    NarrowType type;
    std::size_t size_bytes;
    KeyKind kind;
    std::string_view name;           ///< f16 is IEEE 754's binary16, bf16 the upper half of an f32
    std::string_view published_name; ///< name in other programs: "uint8"
    std::string_view numpy;          ///< descriptor of little-endian keys; empty if there is none
};

/// One row per narrow type, in the order of the enumeration and of listings.
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
/// The inverse of to_string(); nullopt for other text.
[[nodiscard]] std::optional<NarrowType> narrow_type_of(std::string_view text);
[[nodiscard]] constexpr std::size_t narrow_size_bytes(NarrowType type) {
    return traits_of(type).size_bytes;
}
/// The type to which such keys are widened: u32, i32 or f32.
[[nodiscard]] constexpr KeyType widened_type(NarrowType type) {
    return key_type_with(traits_of(type).kind, sizeof(std::uint32_t));
}

/// The narrow type's name ("u16") if present, else the key type's name.
[[nodiscard]] constexpr std::string_view stored_type_name(KeyType type,
                                                          std::optional<NarrowType> narrow) {
    return narrow ? to_string(*narrow) : to_string(type);
}

/// Value range of an integer type, inclusive.
struct WholeRange {
    std::int64_t least = 0;
    std::int64_t most = 0;
};
/// nullopt for floating-point types.
[[nodiscard]] std::optional<WholeRange> whole_range(NarrowType type);

/// The binary32 with the same value as a binary16; a NaN keeps its sign and payload.
[[nodiscard]] std::uint32_t binary32_of_binary16(std::uint16_t half);

/// Widens the keys of `narrow` into the front of `wide`. Both may share memory if narrow ends
/// at or after the end of the widened keys, as in WordReader.
/// \pre whole keys; wide has four bytes per key
void widen(NarrowType type, std::span<std::byte const> narrow, std::span<std::byte> wide);

} // namespace keyswap::model
