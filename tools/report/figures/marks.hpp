#pragma once

/// \file Marks of plots, in the units of the axes.

#include "tools/report/figures/drawing.hpp"
#include "tools/report/figures/palette.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

struct Mark {
    enum class Kind {
        area,    ///< from (x0, y0) to (x1, y1), with `text` inside if it fits
        line,    ///< through `points`
        point,   ///< at (x0, y0)
        whisker, ///< line with end caps
        limit,   ///< a dashed line across the plot
        text     ///< right of (x0, y0)
    };
    Kind kind = Kind::area;
    Look look;
    double x0 = 0.0;
    double y0 = 0.0;
    double x1 = 0.0;
    double y1 = 0.0;
    std::string text = {};
    std::vector<Point> points = {};
    double width = 1.2;            ///< of a line, in points
    Anchor anchor = Anchor::begin; ///< of a text
    std::optional<Rows> rows = {}; ///< of the figure's table
};

/// Adds the table rows that a mark shows.
[[nodiscard]] Mark of_rows(Mark mark, std::size_t first, std::size_t count = 1);

[[nodiscard]] Mark
area_mark(Look look, double x0, double y0, double x1, double y1, std::string text = "");
/// Horizontal bar in a row of a name axis.
[[nodiscard]] Mark row_bar(Look look, double from, double to, double row, double half = 0.36);
[[nodiscard]] Mark limit_mark(Look look, double x0, double y0, double x1, double y1);
[[nodiscard]] Mark whisker_mark(Look look, double x0, double y0, double x1, double y1);
[[nodiscard]] Mark point_mark(Look look, double x, double y);
[[nodiscard]] Mark text_mark(double x, double y, std::string text);
[[nodiscard]] Mark line_mark(Look look, std::vector<Point> points = {});

} // namespace keyswap::tools
