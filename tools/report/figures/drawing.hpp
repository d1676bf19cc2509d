#pragma once

/// \file Vector drawings, written as SVG and as PDF. Text is drawn as outlines (DejaVu Sans), so
/// that a drawing looks the same in every viewer.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace keyswap::tools {

/// Position in points (1/72 inch); y grows downwards.
struct Point {
    double x = 0.0;
    double y = 0.0;
};

/// State of a shape at a time of the animation, relative to its drawn position.
struct Keyframe {
    double time = 0.0; ///< 0 to 1, ascending
    Point shift;
    double opacity = 1.0;
};

/// Rows of the figure's table that a shape shows.
struct Rows {
    std::size_t first = 0;
    std::size_t count = 1;
};

/// A line or an area.
struct Shape {
    std::vector<Point> points;
    bool closed = false;
    std::string fill;   ///< colour (palette.hpp); empty: none
    std::string stroke; ///< colour; empty: none
    double width = 1.0; ///< of the stroke
    double dash = 0.0;  ///< length of dashes and gaps; 0: solid
    std::vector<Keyframe> motion;
    std::optional<Rows> rows = {};
    std::size_t hatch = 0; ///< rectangles only; 0: none, 1 to 3: rising, falling, flat lines
};

/// A rectangle without an outline.
[[nodiscard]] Shape rectangle(Point from, Point to, std::string fill);

inline constexpr double hatch_width = 0.6; ///< line width of a hatch, in points

inline constexpr double bold_stroke = 70.0; ///< outline of bold text, in font units

/// Light hatch lines of a rectangle, two points each; they distinguish areas whose colours have
/// equal grey values.
[[nodiscard]] std::vector<Point> hatch_lines(Shape const& shape);
[[nodiscard]] std::string hatch_colour(Shape const& shape);

enum class Anchor { begin, middle, end };

struct Letters {
    Point at; ///< on the baseline
    std::string text;
    double size = 8.0;
    Anchor anchor = Anchor::begin;
    std::string fill;
    bool bold = false;
    bool upright = false; ///< rotated, reads from bottom to top
    std::vector<Keyframe> motion;
};

/// Area of a drawing that a page can zoom along x, with the labels of its axis.
struct Zoomable {
    Point from;
    Point to;
    double low = 0.0; ///< of the axis, at `from`
    double high = 1.0;
    std::size_t begin = 0; ///< index of its first part
    std::size_t end = 0;
    std::size_t ticks_begin = 0; ///< index of its first tick; equal to `ticks_end` if none
    std::size_t ticks_end = 0;
};

struct Drawing {
    double width = 0.0;
    double height = 0.0;
    std::string title;
    std::string description; ///< alternative text
    double duration_s = 0.0; ///< of the animation; 0: static
    std::vector<std::variant<Shape, Letters>> parts;
    std::vector<Zoomable> zoomable;

    void box(double left, double top, double right, double bottom, std::string const& fill);
    void letters(Point at, std::string text, double size, Anchor anchor, std::string const& fill);
    void line(Point from, Point to, std::string const& stroke, double width, double dash = 0.0);
};

/// Offset from the anchor to the start of the text, in points.
[[nodiscard]] double anchor_shift(Letters const& letters);

/// Width of a text in points. Characters missing from the font are drawn and measured as a box.
[[nodiscard]] double text_width(std::string_view text, double size);

/// The text, shortened with an ellipsis in the middle if it is wider than `width`.
[[nodiscard]] std::string text_that_fits(std::string const& text, double size, double width);

/// SVG file. Animated shapes rest at their drawn positions in programs without animation, and if
/// the reader prefers reduced motion.
[[nodiscard]] std::string svg_of(Drawing const& drawing);

/// SVG element for a page: text remains text, named colours become CSS variables, and marks carry
/// their table rows.
/// \param id of the element \param number index of the drawing on the page
[[nodiscard]] std::string
inline_svg(Drawing const& drawing, std::string const& id, std::size_t number);

/// PDF with one page per drawing; the pages of an animation are its frames.
[[nodiscard]] std::string pdf_of(std::vector<Drawing> const& pages);

/// A static drawing of an animation's state. \param time 0 to 1
[[nodiscard]] Drawing frame_of(Drawing const& drawing, double time);

} // namespace keyswap::tools
