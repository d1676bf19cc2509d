#pragma once

/// \file Drawings for files: lines, areas and letters, as SVG and as PDF. Letters are outlines
/// (DejaVu Sans), so that a drawing looks the same wherever it is opened.

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace keyswap::tools {

/// Lengths are points (1/72 inch), y goes down.
struct Point {
    double x = 0.0;
    double y = 0.0;
};

/// A shape's place at a share of the animation's time, against where it is drawn.
struct Keyframe {
    double time = 0.0; ///< 0 to 1, ascending
    Point shift;
    double opacity = 1.0;
};

/// Rows of a figure's table: the numbers of what is drawn.
struct Rows {
    std::size_t first = 0;
    std::size_t count = 1;
};

/// A line, or an area.
struct Shape {
    std::vector<Point> points;
    bool closed = false;
    std::string fill;   ///< a colour (palette.hpp); empty = none
    std::string stroke; ///< empty = none
    double width = 1.0; ///< of the stroke
    double dash = 0.0;  ///< length of a dash and of the gap after it; 0 = solid
    std::vector<Keyframe> motion;
    std::optional<Rows> rows = {};
    std::size_t hatch = 0; ///< of a rectangle: 0 = none, 1 to 3 = rising, falling, flat lines
};

inline constexpr double hatch_width = 0.6; ///< of its lines

/// The pale lines that hatch a rectangle, two points each: areas whose colours are alike in grey
/// differ by them.
[[nodiscard]] std::vector<Point> hatch_lines(Shape const& shape);
[[nodiscard]] std::string hatch_colour(Shape const& shape);

enum class Anchor { begin, middle, end };

struct Letters {
    Point at; ///< on the base line
    std::string text;
    double size = 8.0;
    Anchor anchor = Anchor::begin;
    std::string fill;
    bool bold = false;
    bool upright = false; ///< read from below
    std::vector<Keyframe> motion;
};

/// An area of a drawing that a page can stretch along x, with the labels of its axis.
struct Zoomable {
    Point from;
    Point to;
    double low = 0.0; ///< of the axis
    double high = 1.0;
    std::size_t begin = 0; ///< its parts
    std::size_t end = 0;
    std::size_t ticks_begin = 0; ///< ticks and their labels; equal to `ticks_end` if there are none
    std::size_t ticks_end = 0;
};

struct Drawing {
    double width = 0.0;
    double height = 0.0;
    std::string title;
    std::string description; ///< for who cannot see it
    double duration_s = 0.0; ///< of the animation; 0 = none
    std::vector<std::variant<Shape, Letters>> parts;
    std::vector<Zoomable> zoomable;

    void box(double left, double top, double right, double bottom, std::string const& fill);
    void letters(Point at, std::string text, double size, Anchor anchor, std::string const& fill);
    void line(Point from, Point to, std::string const& stroke, double width, double dash = 0.0);
};

/// The width of a text in points. A letter that the font lacks is drawn, and measured, as a box.
[[nodiscard]] double text_width(std::string_view text, double size);

/// The text, or as much of its begin and end as fits, with an ellipsis between.
[[nodiscard]] std::string text_that_fits(std::string const& text, double size, double width);

/// A shape of an animated drawing moves unless the reader asked for less motion; then, as in a
/// program that shows no animations, it is where it is drawn.
[[nodiscard]] std::string svg_of(Drawing const& drawing);

/// The same drawing as an element of a page, with its text as text, its named colours as CSS
/// variables, and the rows of its marks.
/// \param id of the element \param number of the drawing on the page
[[nodiscard]] std::string
inline_svg(Drawing const& drawing, std::string const& id, std::size_t number);

/// A page for each drawing; those of an animation are its frames.
[[nodiscard]] std::string pdf_of(std::vector<Drawing> const& pages);

/// What an animated drawing shows at a time. \param time 0 to 1
[[nodiscard]] Drawing frame_of(Drawing const& drawing, double time);

} // namespace keyswap::tools
