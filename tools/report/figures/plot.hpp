#pragma once

/// \file Plots: axes, and marks in data units. All figures are made of plots.

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
        names ///< the i-th name covers i - 0.5 to i + 0.5
    };
    Kind kind = Kind::linear;
    std::string title;
    double low = 0.0;
    double high = 1.0;
    std::vector<std::string> names = {};
    bool shown = true;
    bool signs = false; ///< explicit signs: "+10"
};

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

[[nodiscard]] inline double as_double(std::size_t count) {
    return static_cast<double>(count);
}

struct Panel {
    std::string title = {};
    Axis x;
    Axis y;
    double height = 0.0; ///< of the plot area, in points
    std::vector<Mark> marks = {};
    bool zoomable = false; ///< along x, on a page
};

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

/// Axis that covers `low` to `high`, with round limits.
[[nodiscard]] Axis linear_axis(std::string title, double low, double high);
/// Axis from 0 to exactly `high`.
[[nodiscard]] Axis exact_axis(std::string title, double high);
/// Axis with powers of ten as limits; linear if `low` is not positive.
[[nodiscard]] Axis log_axis(std::string title, double low, double high);
[[nodiscard]] Axis name_axis(std::vector<std::string> names);

/// At most four digits, with SI prefix: "1.2 G" for 1.2e9, "0.05", "12.5".
[[nodiscard]] std::string short_number(double number);

/// Layout of a figure.
struct FigureForm {
    FigureSize size = FigureSize::page;
    bool titled = true; ///< draw the title; it always is in the description
};

[[nodiscard]] Drawing drawn(Plot const& plot, std::string const& title, FigureForm form);

} // namespace keyswap::tools
