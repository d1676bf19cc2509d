#include "model/rows/utf8.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace keyswap::model {

namespace {

/// Length of the leading character; 0 if it is malformed. \pre the first byte is not ASCII
std::size_t character_bytes(std::string_view text) {
    auto const byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
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

} // namespace

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
        if (static_cast<unsigned char>(text[i]) < 0x80) {
            ++i;
            continue;
        }
        std::size_t const size = character_bytes(text.substr(i));
        if (size == 0) {
            return false;
        }
        i += size;
    }
    return true;
}

} // namespace keyswap::model
