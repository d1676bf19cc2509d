#pragma once

/// \file Plots: axes, and marks in units of the data. Whatever a figure shows is made of them.

#include "tools/report/figures/drawing.hpp"
#include "tools/report/figures/palette.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

struct Axis {
    enum class Kind {
        linear,
        log,
        names ///< place i has the i-th name, and goes from i - 0.5 to i + 0.5
    };
    Kind kind = Kind::linear;
    std::string title;
    double low = 0.0;
    double high = 1.0;
    std::vector<std::string> names = {};
    bool shown = true;
    bool signs = false; ///< "+10" for 10
};

struct Mark {
    enum class Kind {
        area,    ///< from (x0, y0) to (x1, y1), with `text` in it where it fits
        line,    ///< through `points`
        point,   ///< at (x0, y0)
        whisker, ///< a line with ends
        limit,   ///< a dashed line across the plot
        text     ///< at (x0, y0), a little to the right
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

/// The mark with the rows of the table that it shows.
[[nodiscard]] Mark of_rows(Mark mark, std::size_t first, std::size_t count = 1);

[[nodiscard]] Mark
area_mark(Look look, double x0, double y0, double x1, double y1, std::string text = "");
/// An area along a row of names.
[[nodiscard]] Mark row_bar(Look look, double from, double to, double row, double half = 0.36);
[[nodiscard]] Mark limit_mark(Look look, double x0, double y0, double x1, double y1);
[[nodiscard]] Mark whisker_mark(Look look, double x0, double y0, double x1, double y1);
[[nodiscard]] Mark point_mark(Look look, double x, double y);
[[nodiscard]] Mark text_mark(double x, double y, std::string text);
[[nodiscard]] Mark line_mark(Look look, std::vector<Point> points = {});

[[nodiscard]] inline double as_double(std::size_t count) {
    return static_cast<double>(count);
}

struct Panel {
    std::string title = {};
    Axis x;
    Axis y;
    double height = 0.0; ///< of the plot, in points
    std::vector<Mark> marks = {};
    bool zoomable = false; ///< along x, in a page
};

/// What a colour means.
struct LegendEntry {
    Mark::Kind kind = Mark::Kind::area;
    std::string label;
    Look look;
};

/// Shades between two values.
struct ShadeLegend {
    std::string low;
    std::string high;
};

struct Plot {
    std::vector<Panel> panels = {}; ///< below each other
    std::vector<LegendEntry> legend = {};
    std::optional<ShadeLegend> shades = std::nullopt;
};

enum class FigureSize {
    column, ///< 85 mm wide, letters of 7 points
    page    ///< 180 mm wide, letters of 8 points
};

/// An axis of values from `low` to `high`, with limits that can be named.
[[nodiscard]] Axis linear_axis(std::string title, double low, double high);
/// On powers of ten; linear if a value is not above 0.
[[nodiscard]] Axis log_axis(std::string title, double low, double high);
[[nodiscard]] Axis name_axis(std::vector<std::string> names);

/// "1.2 G" of 1.2e9, "0.05", "12.5": four digits at most.
[[nodiscard]] std::string short_number(double number);

/// How a figure is to be drawn.
struct FigureForm {
    FigureSize size = FigureSize::page;
    bool titled = true; ///< the title stands in the drawing, not only in its description
};

[[nodiscard]] Drawing drawn(Plot const& plot, std::string const& title, FigureForm form);

} // namespace keyswap::tools
