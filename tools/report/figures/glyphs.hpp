#pragma once

/// \file Outlines of letters, from vendor/glyphs.txt.

#include <string_view>
#include <vector>

namespace keyswap::tools {

struct Glyph {
    unsigned code = 0;     ///< code point
    double advance = 0.0;  ///< in units of the font
    std::string_view path; ///< M, L, H, V, Q and Z, absolute, in units of the font, y goes up
};

inline constexpr double glyph_units = 2048.0; ///< of the font's size

/// The glyphs of a text in UTF-8; a box for what the font lacks.
[[nodiscard]] std::vector<Glyph const*> glyphs_of(std::string_view text);

} // namespace keyswap::tools
