#pragma once

/// \file The colours of the page and of figures, from page/palette.json.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Of the light theme, which files have.
struct Palette {
    std::string ink;
    std::string quiet;
    std::string line;
    std::vector<std::string> groups; ///< of GPUs, series and the like
    std::vector<std::string> scale;  ///< from least to most
    std::vector<std::string> use;    ///< of links, from little to much used
};

[[nodiscard]] Palette const& palette();

[[nodiscard]] std::string const& group_colour(std::size_t index);

/// "sort, pass 2" has the colour of "sort"; grey if the phase is not known.
[[nodiscard]] std::string phase_colour(std::string_view phase);

/// A colour of the scale. \param share 0 to 1
[[nodiscard]] std::string shade(double share);

/// Between two colours. \param share of the second one
[[nodiscard]] std::string mixed(std::string const& from, std::string const& to, double share);

/// Contrast of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio".
[[nodiscard]] double contrast(std::string const& one, std::string const& other);

/// Black or white, whichever reads better on it.
[[nodiscard]] std::string ink_on(std::string const& colour);

} // namespace keyswap::tools
