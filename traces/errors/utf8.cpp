#include "traces/errors/utf8.hpp"

#include <cstring>

namespace keyswap {

std::size_t utf8_character_size(std::string_view text) {
    auto const byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    if (byte(0) < 0x80) {
        return 1;
    }
    std::size_t const size = byte(0) < 0xc2   ? 0
                             : byte(0) < 0xe0 ? 2
                             : byte(0) < 0xf0 ? 3
                             : byte(0) < 0xf5 ? 4
                                              : 0;
    if (size == 0 || size > text.size()) {
        return 0;
    }
    // The second byte excludes overlong forms, surrogates and code points beyond U+10FFFF.
    unsigned const least = byte(0) == 0xe0 ? 0xa0 : byte(0) == 0xf0 ? 0x90 : 0x80;
    unsigned const most = byte(0) == 0xed ? 0x9f : byte(0) == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < least || byte(1) > most) {
        return 0;
    }
    for (std::size_t i = 2; i < size; ++i) {
        if ((byte(i) & 0xc0U) != 0x80U) {
            return 0;
        }
    }
    return size;
}

bool is_utf8(std::string_view text) {
    constexpr std::uint64_t high_bits = 0x8080'8080'8080'8080U;
    std::size_t i = 0;
    while (i < text.size()) {
        std::uint64_t word = 0;
        if (i + sizeof(word) <= text.size()) {
            std::memcpy(&word, text.data() + i, sizeof(word));
            if ((word & high_bits) == 0) {
                i += sizeof(word);
                continue;
            }
        }
        std::size_t const size = utf8_character_size(text.substr(i));
        if (size == 0) {
            return false;
        }
        i += size;
    }
    return true;
}

bool append_utf8(std::string& text, std::uint32_t code) {
    auto const rest = [code](unsigned shift) {
        return static_cast<char>(0x80U | (code >> shift & 0x3fU));
    };
    if (code > 0x10ffff || (code >= 0xd800 && code < 0xe000)) {
        return false;
    }
    if (code < 0x80) {
        text += static_cast<char>(code);
    } else if (code < 0x800) {
        text += {static_cast<char>(0xc0U | code >> 6U), rest(0)};
    } else if (code < 0x10000) {
        text += {static_cast<char>(0xe0U | code >> 12U), rest(6), rest(0)};
    } else {
        text += {static_cast<char>(0xf0U | code >> 18U), rest(12), rest(6), rest(0)};
    }
    return true;
}

} // namespace keyswap
