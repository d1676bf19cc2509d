#pragma once

/// \file The colours of the page and of figures, from page/palette.json.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Marks of several colours differ in grey, too: areas by hatching, lines by dashes, points by
/// their form.
struct Look {
    std::string colour;
    std::size_t pattern = 0;

    friend bool operator==(Look const&, Look const&) = default;
};

/// Colours that each theme has its own of have names ("ink"), which the writers of drawings
/// resolve; all others are "#rrggbb" in both themes.
struct Palette {
    std::string ink = "ink";
    std::string quiet = "quiet";
    std::string line = "line";
    std::string ground = "ground";
    std::string band = "band";
    std::vector<std::string> use{"use0", "use1", "use2"}; ///< of links, from little to much used
    std::vector<std::string> groups;                      ///< of GPUs, series and the like
};

[[nodiscard]] Palette const& palette();

/// The index-th of several kinds.
[[nodiscard]] Look look_of(std::size_t index);

/// "sort, pass 2" looks like "sort"; nullopt if the phase is not known.
[[nodiscard]] std::optional<Look> find_phase_look(std::string_view phase);
/// Grey if the phase is not known.
[[nodiscard]] Look phase_look(std::string_view phase);

/// The name of a step of the scale. \param share 0 to 1
[[nodiscard]] std::string shade(double share);

/// "#rrggbb" of a colour, in the light theme if it has a name.
[[nodiscard]] std::string hex_of(std::string const& colour);

/// Every named colour as a CSS variable, for each theme.
[[nodiscard]] std::string theme_css();

/// Between two colours. \param share of the second one
[[nodiscard]] std::string mixed(std::string const& from, std::string const& to, double share);

/// Contrast of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio".
[[nodiscard]] double contrast(std::string const& one, std::string const& other);

/// Black or white, whichever reads better on it in the theme that is shown.
[[nodiscard]] std::string ink_on(std::string const& colour);

} // namespace keyswap::tools
