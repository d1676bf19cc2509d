#pragma once

/// \file Plots: panels of axes and marks, with a legend. All figures are made of plots.

#include "tools/report/figures/axis.hpp"
#include "tools/report/figures/drawing.hpp"
#include "tools/report/figures/marks.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/report/figures/panel_drawing.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

[[nodiscard]] inline double as_double(std::size_t count) {
    return static_cast<double>(count);
}

/// Meaning of a colour.
struct LegendEntry {
    Mark::Kind kind = Mark::Kind::area;
    std::string label;
    Look look;
};

/// Endpoints of a colour scale.
struct ShadeLegend {
    std::string low;
    std::string high;
};

struct Plot {
    std::vector<Panel> panels = {}; ///< stacked vertically
    std::vector<LegendEntry> legend = {};
    std::optional<ShadeLegend> shades = std::nullopt;
};

enum class FigureSize {
    column, ///< 85 mm wide, 7 pt text
    page    ///< 180 mm wide, 8 pt text
};

/// Layout of a figure.
struct FigureForm {
    FigureSize size = FigureSize::page;
    bool titled = true; ///< draw the title; it always is in the description
};

[[nodiscard]] Drawing drawn(Plot const& plot, std::string const& title, FigureForm form);

} // namespace keyswap::tools
