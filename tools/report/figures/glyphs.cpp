#include "tools/report/figures/glyphs.hpp"

#include "tools/report/page_parts.hpp"

#include <algorithm>
#include <charconv>

namespace keyswap::tools {

namespace {

constexpr unsigned missing_glyph = 0x25a1; ///< a white square, drawn for missing glyphs

std::vector<Glyph> read_glyphs() {
    std::vector<Glyph> glyphs;
    std::string_view rest = page_part("glyphs");
    while (!rest.empty()) {
        std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(rest.size(), line.size() + 1));
        Glyph glyph;
        auto const code =
            std::from_chars(line.data(), line.data() + line.size(), glyph.code, 16).ptr;
        line.remove_prefix(static_cast<std::size_t>(code - line.data()) + 1);
        int advance = 0;
        auto const end = std::from_chars(line.data(), line.data() + line.size(), advance).ptr;
        glyph.advance = advance;
        line.remove_prefix(static_cast<std::size_t>(end - line.data()));
        glyph.path = line.empty() ? line : line.substr(1);
        glyphs.push_back(glyph);
    }
    return glyphs;
}

/// Extracts the next code point; U+FFFD for invalid UTF-8.
unsigned next_code(std::string_view& text) {
    auto const first = static_cast<unsigned char>(text.front());
    std::size_t const length = first < 0x80             ? 1
                               : (first & 0xe0) == 0xc0 ? 2
                               : (first & 0xf0) == 0xe0 ? 3
                               : (first & 0xf8) == 0xf0 ? 4
                                                        : 0;
    if (length == 0 || length > text.size()) {
        text.remove_prefix(1);
        return missing_glyph;
    }
    unsigned code = length == 1 ? first : first & (0x7fU >> length);
    for (std::size_t i = 1; i < length; ++i) {
        code = (code << 6U) | (static_cast<unsigned char>(text[i]) & 0x3fU);
    }
    text.remove_prefix(length);
    return code;
}

} // namespace

std::vector<Glyph const*> glyphs_of(std::string_view text) {
    static std::vector<Glyph> const all = read_glyphs();
    auto const glyph_of = [](unsigned code) {
        return std::ranges::lower_bound(all, code, {}, &Glyph::code);
    };
    std::vector<Glyph const*> glyphs;
    while (!text.empty()) {
        unsigned const code = next_code(text);
        auto const found = glyph_of(code);
        bool const known = found != all.end() && found->code == code;
        glyphs.push_back(&*(known ? found : glyph_of(missing_glyph)));
    }
    return glyphs;
}

} // namespace keyswap::tools
