#include "traces/errors/printable_text.hpp"

#include "traces/errors/hex_text.hpp"
#include "traces/errors/utf8.hpp"

#include <cstdint>

namespace keyswap {

namespace {

/// A decoded character and its length; for malformed UTF-8 a single byte, not valid.
struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool valid = true;
};

/// \pre text is not empty
Character first_character(std::string_view text) {
    auto const byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    std::size_t const bytes = utf8_character_size(text);
    if (bytes == 0) {
        return {byte(0), 1, false};
    }
    std::uint32_t code = bytes == 1 ? byte(0) : byte(0) & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    return {code, bytes, true};
}

bool needs_escape(std::uint32_t code) {
    bool const control = code < 0x20 || (code >= 0x7F && code < 0xA0);
    bool const separator = code == 0x2028 || code == 0x2029;
    bool const direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                           (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    return control || separator || direction;
}

std::string escaped(Character character) {
    switch (character.valid ? character.code : 0xFF) {
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\t':
        return "\\t";
    default:
        break;
    }
    bool const one_byte = !character.valid || character.code < 0x80;
    return one_byte ? "\\x" + hex_text(character.code, 2) : "\\u" + hex_text(character.code, 4);
}

} // namespace

std::string printable_text(std::string_view text) {
    std::string shown;
    shown.reserve(text.size());
    while (!text.empty()) {
        Character const character = first_character(text);
        if (character.valid && !needs_escape(character.code)) {
            shown += text.substr(0, character.bytes);
        } else {
            shown += escaped(character);
        }
        text.remove_prefix(character.bytes);
    }
    return shown;
}

} // namespace keyswap
