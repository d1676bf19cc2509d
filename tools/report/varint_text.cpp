#include "tools/report/varint_text.hpp"

#include <array>
#include <string_view>

namespace keyswap::tools {

void VarintText::add(std::uint64_t number) {
    constexpr std::uint64_t more = 0x80;
    while (number >= more) {
        bytes_ += static_cast<char>(number % more | more);
        number /= more;
    }
    bytes_ += static_cast<char>(number);
}

void VarintText::add_signed(std::int64_t number) {
    auto const bits = static_cast<std::uint64_t>(number);
    add(number < 0 ? ~(bits << 1) : bits << 1);
}

std::string VarintText::base64() const {
    constexpr std::string_view letters =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string text;
    text.reserve((bytes_.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes_.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = i; j < i + 3; ++j) {
            auto const byte = j < bytes_.size() ? static_cast<unsigned char>(bytes_[j]) : 0U;
            group = group << 8 | byte;
        }
        std::size_t const present = bytes_.size() - i;
        text += letters[group >> 18];
        text += letters[group >> 12 & 63];
        text += present > 1 ? letters[group >> 6 & 63] : '=';
        text += present > 2 ? letters[group & 63] : '=';
    }
    return text;
}

} // namespace keyswap::tools
