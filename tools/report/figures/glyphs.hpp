#pragma once

/// \file Glyph outlines from vendor/glyphs.txt.

#include <string_view>
#include <vector>

namespace keyswap::tools {

struct Glyph {
    unsigned code = 0;     ///< code point
    double advance = 0.0;  ///< in font units
    std::string_view path; ///< SVG path of M, L, H, V, Q, Z; absolute, in font units, y up
};

inline constexpr double glyph_units = 2048.0; ///< font units per em

/// Glyphs of a UTF-8 text; a box for each character missing from the font.
[[nodiscard]] std::vector<Glyph const*> glyphs_of(std::string_view text);

} // namespace keyswap::tools
