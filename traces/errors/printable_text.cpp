#include "traces/errors/printable_text.hpp"

#include <array>
#include <cstdint>
#include <cstdio>

namespace keyswap {

namespace {

/// A decoded character and its length; for malformed UTF-8 a single byte, not valid.
struct Character {
    std::uint32_t code = 0;
    std::size_t bytes = 1;
    bool valid = true;
};

/// Length of the UTF-8 sequence that the first byte starts; 0 if it cannot start one.
std::size_t announced_bytes(unsigned char first) {
    return first < 0x80              ? 1
           : (first & 0xE0U) == 0xC0 ? 2
           : (first & 0xF0U) == 0xE0 ? 3
           : (first & 0xF8U) == 0xF0 ? 4
                                     : 0;
}

/// Unicode table 3-7: rejects overlong sequences, surrogates and code points above U+10FFFF.
bool is_well_formed(std::uint32_t code, std::size_t bytes) {
    constexpr std::array<std::uint32_t, 5> least{0, 0, 0x80, 0x800, 0x10000};
    bool const surrogate = code >= 0xD800 && code <= 0xDFFF;
    return code >= least[bytes] && code <= 0x10FFFF && !surrogate;
}

/// \pre text is not empty
Character first_character(std::string_view text) {
    auto const byte = [text](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    Character const broken{byte(0), 1, false};
    std::size_t const bytes = announced_bytes(byte(0));
    if (bytes == 0 || bytes > text.size()) {
        return broken;
    }
    if (bytes == 1) {
        return {byte(0), 1, true};
    }
    std::uint32_t code = byte(0) & (0xFFU >> (bytes + 1));
    for (std::size_t i = 1; i < bytes; ++i) {
        if ((byte(i) & 0xC0U) != 0x80) {
            return broken;
        }
        code = (code << 6U) | (byte(i) & 0x3FU);
    }
    return is_well_formed(code, bytes) ? Character{code, bytes, true} : broken;
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
    std::array<char, 16> text{};
    bool const one_byte = !character.valid || character.code < 0x80;
    std::snprintf(text.data(), text.size(), one_byte ? "\\x%02x" : "\\u%04x", character.code);
    return text.data();
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
