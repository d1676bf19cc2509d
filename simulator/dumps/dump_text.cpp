#include "simulator/dumps/dump_text.hpp"

#include "traces/errors/utf8.hpp"
#include "traces/format/byte_order_mark.hpp"

#include <algorithm>
#include <optional>

namespace keyswap::simulator {
namespace {

/// \param low index of the low byte in each pair: 0 is little-endian
std::string from_utf16(std::string_view bytes, std::size_t low) {
    auto const unit = [&](std::size_t at) {
        auto const byte = [&](std::size_t i) {
            return static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i]));
        };
        return byte(at + low) | (byte(at + 1 - low) << 8U);
    };
    std::string text;
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
        std::uint32_t code = unit(at);
        bool const is_high = code >= 0xd800 && code < 0xdc00;
        if (is_high && at + 3 < bytes.size() && unit(at + 2) >= 0xdc00 && unit(at + 2) < 0xe000) {
            code = 0x10000 + ((code - 0xd800) << 10U) + (unit(at + 2) - 0xdc00);
            at += 2;
        } else if (code >= 0xd800 && code < 0xe000) {
            code = '?';
        }
        static_cast<void>(append_utf8(text, code)); // surrogates are replaced above
    }
    return text;
}

/// Index of the low byte in each pair if the text is UTF-16, else nullopt. Without a byte order
/// mark every other byte must be 0, as dumps are mostly ASCII.
std::optional<std::size_t> utf16_low_byte(std::string_view bytes) {
    if (bytes.starts_with("\xff\xfe")) {
        return 0;
    }
    if (bytes.starts_with("\xfe\xff")) {
        return 1;
    }
    std::string_view const begin = bytes.substr(0, 256);
    std::size_t zeros[2] = {0, 0};
    for (std::size_t i = 0; i < begin.size(); ++i) {
        zeros[i % 2] += begin[i] == '\0' ? 1 : 0;
    }
    for (std::size_t high : {std::size_t{0}, std::size_t{1}}) {
        if (begin.size() >= 4 && zeros[high] * 10 >= begin.size() / 2 * 9 && zeros[1 - high] == 0) {
            return 1 - high;
        }
    }
    return std::nullopt;
}

/// Length of the escape sequence at the start of the text: ESC [ 4 m, with "^[" for ESC or without
/// it, as in copied text; 0 if there is none.
std::size_t escape_length(std::string_view text) {
    std::size_t const begin = text.starts_with('\x1b') ? 1 : text.starts_with("^[[") ? 2 : 0;
    if (!text.substr(begin).starts_with('[')) {
        return begin == 1 ? 1 : 0;
    }
    std::size_t const end = text.find_first_not_of("0123456789;?", begin + 1);
    if (end == std::string_view::npos) {
        return begin == 1 ? text.size() : 0;
    }
    bool const is_colour = text[end] == 'm';
    bool const is_letter =
        (text[end] >= 'A' && text[end] <= 'Z') || (text[end] >= 'a' && text[end] <= 'z');
    return is_colour || (begin == 1 && is_letter) ? end + 1 : begin == 1 ? begin : 0;
}

} // namespace

std::string plain_dump_text(std::string_view bytes) {
    std::string decoded;
    if (auto const low = utf16_low_byte(bytes)) {
        decoded = from_utf16(bytes, *low);
        bytes = decoded;
    }
    bytes = without_byte_order_mark(bytes);
    std::string plain;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        std::string_view const rest = bytes.substr(i);
        if (std::size_t const length = escape_length(rest); length > 0) {
            i += length - 1;
        } else if (rest.starts_with("\xc2\xa0")) {
            plain += ' ';
            ++i;
        } else if (bytes[i] != '\r') {
            plain += bytes[i];
        } else if (!rest.substr(1).starts_with('\n') && !rest.substr(1).starts_with('\r')) {
            plain += '\n'; // a single carriage return ends a line
        }
    }
    return plain;
}

} // namespace keyswap::simulator
