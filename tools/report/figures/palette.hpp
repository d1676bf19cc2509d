#pragma once

/// \file Colours of the page and of figures, from page/palette.json.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// Colour and pattern of a mark. Patterns distinguish marks in greyscale: hatches of areas, dashes
/// of lines, shapes of points.
struct Look {
    std::string colour;
    std::size_t pattern = 0;

    friend bool operator==(Look const&, Look const&) = default;
};

/// Colours that differ between themes have names ("ink"), resolved by the writers of drawings; all
/// others are "#rrggbb" in both themes.
struct Palette {
    std::string ink = "ink";
    std::string quiet = "quiet";
    std::string line = "line";
    std::string ground = "ground";
    std::string band = "band";
    std::vector<std::string> use{"use0", "use1", "use2"}; ///< of links, by increasing use
    std::vector<std::string> groups;                      ///< of GPUs, series and similar groups
};

[[nodiscard]] Palette const& palette();

/// Look of the index-th series.
[[nodiscard]] Look look_of(std::size_t index);

/// Look of a phase ("sort, pass 2" has that of "sort"); nullopt if the phase is unknown.
[[nodiscard]] std::optional<Look> find_phase_look(std::string_view phase);
/// As find_phase_look(), grey if the phase is unknown.
[[nodiscard]] Look phase_look(std::string_view phase);

/// Colour name of a scale from little to much use. \param share 0 to 1
[[nodiscard]] std::string shade(double share);

/// "#rrggbb" of a colour; for a named one, that of the light theme.
[[nodiscard]] std::string hex_of(std::string const& colour);

/// CSS variables of all named colours, for each theme.
[[nodiscard]] std::string theme_css();

/// Linear blend of two colours. \param share weight of `to`, 0 to 1
[[nodiscard]] std::string mixed(std::string const& from, std::string const& to, double share);

/// Contrast ratio of two colours, 1 to 21. Source: WCAG 2.2, "contrast ratio".
[[nodiscard]] double contrast(std::string const& one, std::string const& other);

/// Black or white, whichever is more legible on the colour in the current theme.
[[nodiscard]] std::string ink_on(std::string const& colour);

} // namespace keyswap::tools
