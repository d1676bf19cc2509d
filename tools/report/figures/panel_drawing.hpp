#pragma once

/// \file Panels of a plot, and their drawing.

#include "tools/report/figures/axis.hpp"
#include "tools/report/figures/drawing.hpp"
#include "tools/report/figures/marks.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

struct Panel {
    std::string title = {};
    Axis x;
    Axis y;
    double height = 0.0; ///< of the plot area, in points
    std::vector<Mark> marks = {};
    bool zoomable = false; ///< along x, on a page
};

inline constexpr double plot_margin = 6.0; ///< on every side, in points
inline constexpr double tick_length = 3.0;
inline constexpr double y_tick_room = 26.0; ///< between the ticks of a vertical axis

struct FigureStyle {
    double width = 0.0;
    double letters = 0.0;
    double names = letters; ///< of long names on the left, at least 4/5 of `letters`
};

/// \param left, top, right of the plot area \return bottom of the panel
double draw_panel(Drawing& drawing,
                  Panel const& panel,
                  FigureStyle const& style,
                  double left,
                  double top,
                  double right);

/// Box in a look; hatched if it is at least 2 points high.
void draw_box(Drawing& drawing, Point from, Point to, Look const& look);
void draw_point(Drawing& drawing, Point at, Look const& look);

/// Length of the dashes of a line with this look, or of a limit; 0: solid.
[[nodiscard]] double dash_of(Mark::Kind kind, Look const& look);

/// Width of the widest text, in points; 0 if there is none.
[[nodiscard]] double widest_of(std::vector<std::string> const& texts, double size);

} // namespace keyswap::tools
