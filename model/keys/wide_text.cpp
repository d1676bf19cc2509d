#include "model/keys/wide_text.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>

namespace keyswap::model {

namespace {

constexpr std::size_t hex_digits = 32;
/// Format of a UUID: "123e4567-e89b-12d3-a456-426614174000" (RFC 9562, section 4).
constexpr std::size_t uuid_size = 36;
constexpr std::array<std::size_t, 4> uuid_dashes{8, 13, 18, 23};

/// Parses digits up to the first other character.
/// \param largest largest value in range
std::from_chars_result
parse_digits(char const* begin, char const* end, uint128 largest, uint128& value) {
    uint128 number = 0;
    bool fits = true;
    char const* at = begin;
    for (; at != end && *at >= '0' && *at <= '9'; ++at) {
        auto const digit = static_cast<unsigned>(*at - '0');
        fits = fits && number <= (largest - digit) / 10;
        number = number * 10 + digit;
    }
    if (at == begin) {
        return {begin, std::errc::invalid_argument};
    }
    if (!fits) {
        return {at, std::errc::result_out_of_range};
    }
    value = number;
    return {at, std::errc()};
}

std::optional<uint128> parse_hex(std::string_view digits) {
    uint128 value = 0;
    for (char const digit : digits) {
        unsigned nibble = 0;
        auto const [end, error] = std::from_chars(&digit, &digit + 1, nibble, 16);
        if (error != std::errc()) {
            return std::nullopt;
        }
        value = value << 4 | nibble;
    }
    return digits.size() == hex_digits ? std::optional(value) : std::nullopt;
}

std::optional<uint128> parse_ipv6(std::string_view text) {
    in6_addr address{};
    if (inet_pton(AF_INET6, std::string(text).c_str(), &address) != 1) {
        return std::nullopt;
    }
    uint128 value = 0;
    for (unsigned char const byte : address.s6_addr) {
        value = value << 8 | byte;
    }
    return value;
}

} // namespace

std::from_chars_result from_chars(char const* begin, char const* end, uint128& value) {
    return parse_digits(begin, end, ~uint128{0}, value);
}

std::from_chars_result from_chars(char const* begin, char const* end, int128& value) {
    constexpr uint128 two_to_127 = uint128{1} << 127;
    bool const negative = begin != end && *begin == '-';
    uint128 magnitude = 0;
    auto const result = parse_digits(
        negative ? begin + 1 : begin, end, negative ? two_to_127 : two_to_127 - 1, magnitude);
    if (result.ec == std::errc()) {
        value = static_cast<int128>(negative ? ~magnitude + 1 : magnitude);
    }
    return result;
}

std::to_chars_result to_chars(char* begin, char* end, uint128 value) {
    std::array<char, 39> digits{}; // of 2^128 - 1
    auto first = digits.end();
    do {
        *--first = static_cast<char>('0' + static_cast<int>(value % 10));
        value /= 10;
    } while (value > 0);
    KEYSWAP_EXPECTS(end - begin >= digits.end() - first);
    return {std::copy(first, digits.end(), begin), std::errc()};
}

std::to_chars_result to_chars(char* begin, char* end, int128 value) {
    auto const bits = static_cast<uint128>(value);
    if (value >= 0) {
        return to_chars(begin, end, bits);
    }
    KEYSWAP_EXPECTS(begin != end);
    *begin = '-';
    return to_chars(begin + 1, end, ~bits + 1);
}

std::optional<uint128> parse_bytes(std::string_view text) {
    if (text.find(':') != std::string_view::npos) {
        return parse_ipv6(text);
    }
    std::string digits(text);
    bool const dashed = text.size() == uuid_size &&
                        std::ranges::all_of(uuid_dashes, [&](auto at) { return text[at] == '-'; });
    if (dashed) {
        std::erase(digits, '-');
    }
    return parse_hex(digits);
}

std::string bytes_text(uint128 value) {
    std::string text(hex_digits, '0');
    for (auto digit = text.rbegin(); digit != text.rend(); ++digit, value >>= 4) {
        *digit = "0123456789abcdef"[static_cast<unsigned>(value) & 15U];
    }
    return text;
}

} // namespace keyswap::model
