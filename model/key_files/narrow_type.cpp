#include "model/key_files/narrow_type.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace keyswap::model {

namespace {

std::uint32_t widened(NarrowType type, std::uint16_t bits) {
    switch (type) {
    case NarrowType::u8:
    case NarrowType::u16:
        return bits;
    case NarrowType::i8:
        return static_cast<std::uint32_t>(std::int32_t{static_cast<std::int8_t>(bits)});
    case NarrowType::i16:
        return static_cast<std::uint32_t>(std::int32_t{static_cast<std::int16_t>(bits)});
    case NarrowType::f16:
        return binary32_of_binary16(bits);
    case NarrowType::bf16:
        return std::uint32_t{bits} << 16;
    }
    return 0;
}

} // namespace

std::optional<NarrowType> narrow_type_of(std::string_view text) {
    auto const* const row = std::ranges::find(narrow_traits, text, &NarrowTraits::name);
    return row == narrow_traits.end() ? std::nullopt : std::optional(row->type);
}

std::uint32_t binary32_of_binary16(std::uint16_t half) {
    constexpr std::uint32_t fraction_bits = 10;
    constexpr std::uint32_t more_fraction_bits = 13; // 23 of binary32 less 10
    constexpr std::uint32_t more_bias = 112;         // 127 of binary32 less 15
    constexpr std::uint32_t exponent_max = 31;
    std::uint32_t const sign = std::uint32_t{half} >> 15 << 31;
    std::uint32_t exponent = half >> fraction_bits & exponent_max;
    std::uint32_t fraction = half & ((1U << fraction_bits) - 1);
    if (exponent == exponent_max) { // infinity or NaN
        return sign | 0x7f800000U | fraction << more_fraction_bits;
    }
    if (exponent == 0 && fraction == 0) {
        return sign;
    }
    if (exponent == 0) { // subnormal in 16 bits, but normal with 8 exponent bits
        auto const shift = static_cast<std::uint32_t>(std::countl_zero(fraction)) - 21;
        fraction = fraction << shift & ((1U << fraction_bits) - 1);
        return sign | (more_bias + 1 - shift) << 23 | fraction << more_fraction_bits;
    }
    exponent += more_bias;
    return sign | exponent << 23 | fraction << more_fraction_bits;
}

std::optional<WholeRange> whole_range(NarrowType type) {
    std::int64_t const numbers = std::int64_t{1} << (8 * narrow_size_bytes(type));
    switch (traits_of(type).kind) {
    case KeyKind::signed_integer:
        return WholeRange{-numbers / 2, numbers / 2 - 1};
    case KeyKind::unsigned_integer:
        return WholeRange{0, numbers - 1};
    case KeyKind::floating:
    case KeyKind::bytes:
        break;
    }
    return std::nullopt;
}

void widen(NarrowType type, std::span<std::byte const> narrow, std::span<std::byte> wide) {
    std::size_t const size = narrow_size_bytes(type);
    KEYSWAP_EXPECTS(narrow.size() % size == 0);
    KEYSWAP_EXPECTS(wide.size() >= narrow.size() / size * sizeof(std::uint32_t));
    for (std::size_t i = 0; i < narrow.size() / size; ++i) {
        std::uint16_t bits = 0; // files are little-endian: the low byte comes first
        std::memcpy(&bits, narrow.data() + i * size, size);
        std::uint32_t const key = widened(type, bits);
        std::memcpy(wide.data() + i * sizeof key, &key, sizeof key);
    }
}

} // namespace keyswap::model
