#include "tools/report/sections/varint_text.hpp"

namespace keyswap::tools {

namespace {

constexpr std::string_view base64_letters =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

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
    std::string text;
    text.reserve((bytes_.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes_.size(); i += 3) {
        std::uint32_t group = 0;
        for (std::size_t j = i; j < i + 3; ++j) {
            auto const byte = j < bytes_.size() ? static_cast<unsigned char>(bytes_[j]) : 0U;
            group = group << 8 | byte;
        }
        std::size_t const present = bytes_.size() - i;
        text += base64_letters[group >> 18];
        text += base64_letters[group >> 12 & 63];
        text += present > 1 ? base64_letters[group >> 6 & 63] : '=';
        text += present > 2 ? base64_letters[group & 63] : '=';
    }
    return text;
}

VarintReader::VarintReader(std::string_view base64) {
    std::uint32_t bits = 0;
    int count = 0;
    for (char const letter : base64.substr(0, base64.find('='))) {
        bits = bits << 6 | static_cast<std::uint32_t>(base64_letters.find(letter) & 63);
        count += 6;
        if (count >= 8) {
            count -= 8;
            bytes_ += static_cast<char>(bits >> count & 255);
        }
    }
}

std::uint64_t VarintReader::next() {
    std::uint64_t number = 0;
    for (unsigned shift = 0; place_ < bytes_.size() && shift < 64; shift += 7) {
        auto const byte = static_cast<unsigned char>(bytes_[place_++]);
        number |= static_cast<std::uint64_t>(byte & 127U) << shift;
        if (byte < 128) {
            break;
        }
    }
    return number;
}

std::int64_t VarintReader::next_signed() {
    std::uint64_t const number = next();
    auto const half = static_cast<std::int64_t>(number >> 1);
    return number % 2 == 0 ? half : -half - 1;
}

} // namespace keyswap::tools
