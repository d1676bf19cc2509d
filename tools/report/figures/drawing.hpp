#pragma once

/// \file Drawings for files: lines, areas and letters, as SVG and as PDF. Letters are outlines
/// (DejaVu Sans), so that a drawing looks the same wherever it is opened.

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

/// A line, or an area.
struct Shape {
    std::vector<Point> points;
    bool closed = false;
    std::string fill;   ///< "#0072b2"; empty = none
    std::string stroke; ///< empty = none
    double width = 1.0; ///< of the stroke
    double dash = 0.0;  ///< length of a dash and of the gap after it; 0 = solid
    std::vector<Keyframe> motion;
};

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

struct Drawing {
    double width = 0.0;
    double height = 0.0;
    std::string title;
    std::string description; ///< for who cannot see it
    double duration_s = 0.0; ///< of the animation; 0 = none
    std::vector<std::variant<Shape, Letters>> parts;

    void box(double left, double top, double right, double bottom, std::string const& fill);
    void letters(Point at, std::string text, double size, Anchor anchor, std::string const& fill);
    void line(Point from, Point to, std::string const& stroke, double width, double dash = 0.0);
};

/// The width of a text in points. A letter that the font lacks is drawn, and measured, as a box.
[[nodiscard]] double text_width(std::string_view text, double size);

/// The text, or as much of it as fits, with an ellipsis.
[[nodiscard]] std::string text_that_fits(std::string const& text, double size, double width);

/// A shape of an animated drawing moves unless the reader asked for less motion; then, as in a
/// program that shows no animations, it is where it is drawn.
[[nodiscard]] std::string svg_of(Drawing const& drawing);

/// A page for each drawing; those of an animation are its frames.
[[nodiscard]] std::string pdf_of(std::vector<Drawing> const& pages);

/// What an animated drawing shows at a time. \param time 0 to 1
[[nodiscard]] Drawing frame_of(Drawing const& drawing, double time);

} // namespace keyswap::tools
