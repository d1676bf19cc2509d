#include "tools/report/figures/panel_drawing.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <utility>
#include <variant>

namespace keyswap::tools {

namespace {

constexpr double least_seen = 0.4; ///< minimum width of an area

/// Draws a panel at its position.
class PanelDrawing {
  public:
    PanelDrawing(Drawing& drawing,
                 Panel const& panel,
                 FigureStyle const& style,
                 double left,
                 double top,
                 double right)
        : drawing_(drawing), panel_(panel), style_(style), left_(left), top_(top), right_(right),
          bottom_(top + panel.height) {}

    /// \return bottom of the panel
    double draw() {
        Zoomable area{{left_, top_}, {right_, bottom_}, panel_.x.low, panel_.x.high};
        area.begin = drawing_.parts.size();
        draw_grid();
        for (Mark const& mark : panel_.marks) {
            std::size_t const first = drawing_.parts.size();
            draw_mark(mark);
            if (first < drawing_.parts.size()) {
                if (auto* const shape = std::get_if<Shape>(&drawing_.parts[first])) {
                    shape->rows = mark.rows;
                }
            }
        }
        area.end = drawing_.parts.size();
        double const end = draw_axes(area);
        if (panel_.zoomable) {
            drawing_.zoomable.push_back(area);
        }
        return end;
    }

  private:
    [[nodiscard]] double x(double value) const { return place_on(panel_.x, value, left_, right_); }
    /// Names ascend downwards, numbers upwards.
    [[nodiscard]] double y(double value) const {
        bool const down = panel_.y.kind == Axis::Kind::names;
        return place_on(panel_.y, value, down ? top_ : bottom_, down ? bottom_ : top_);
    }
    [[nodiscard]] double inside_x(double value) const {
        return std::clamp(x(value), left_, right_);
    }
    [[nodiscard]] double inside_y(double value) const {
        return std::clamp(y(value), top_, bottom_);
    }

    [[nodiscard]] std::vector<double> x_ticks() const {
        double const widest =
            std::max(2.0 * style_.letters, widest_of(panel_.x.names, style_.letters));
        double const room = panel_.x.kind == Axis::Kind::names ? widest + 5.0 : 46.0;
        return ticks_of(panel_.x, right_ - left_, room);
    }
    [[nodiscard]] std::vector<double> y_ticks() const {
        double const room = panel_.y.kind == Axis::Kind::names ? style_.letters + 0.5 : y_tick_room;
        return ticks_of(panel_.y, bottom_ - top_, room);
    }

    void draw_grid() {
        if (panel_.x.shown && panel_.x.kind != Axis::Kind::names) {
            for (double const tick : x_ticks()) {
                drawing_.line({x(tick), top_}, {x(tick), bottom_}, palette().line, 0.4);
            }
        }
        if (panel_.y.shown && panel_.y.kind != Axis::Kind::names) {
            for (double const tick : y_ticks()) {
                drawing_.line({left_, y(tick)}, {right_, y(tick)}, palette().line, 0.4);
            }
        }
    }

    double draw_axes(Zoomable& area) {
        std::string const& quiet = palette().quiet;
        double const size = style_.letters;
        if (panel_.y.shown) {
            drawing_.line({left_, top_}, {left_, bottom_}, quiet, 0.6);
            for (double const tick : y_ticks()) {
                double const names = style_.names;
                std::string const text = text_that_fits(
                    tick_text(panel_.y, tick), names, left_ - plot_margin - tick_length);
                drawing_.letters(
                    {left_ - tick_length, y(tick) + 0.36 * names}, text, names, Anchor::end, quiet);
            }
        }
        if (!panel_.y.title.empty()) {
            drawing_.parts.emplace_back(Letters{{plot_margin + 0.8 * size, (top_ + bottom_) / 2.0},
                                                panel_.y.title,
                                                size,
                                                Anchor::middle,
                                                quiet,
                                                false,
                                                true,
                                                {}});
        }
        double end = bottom_;
        if (panel_.x.shown) {
            drawing_.line({left_, bottom_}, {right_, bottom_}, quiet, 0.6);
            area.ticks_begin = drawing_.parts.size();
            for (double const tick : x_ticks()) {
                drawing_.line({x(tick), bottom_}, {x(tick), bottom_ + tick_length}, quiet, 0.6);
                std::string const text = tick_text(panel_.x, tick);
                // Keeps the last label inside the drawing.
                double const half = text_width(text, size) / 2.0;
                double const at = std::min(x(tick), drawing_.width - 1.0 - half);
                drawing_.letters(
                    {at, bottom_ + tick_length + 1.05 * size}, text, size, Anchor::middle, quiet);
            }
            area.ticks_end = drawing_.parts.size();
            end += tick_length + 1.4 * size;
        }
        if (!panel_.x.title.empty()) {
            end += 1.1 * size;
            drawing_.letters(
                {(left_ + right_) / 2.0, end}, panel_.x.title, size, Anchor::middle, quiet);
            end += 0.3 * size;
        }
        return end;
    }

    void draw_mark(Mark const& mark) {
        switch (mark.kind) {
        case Mark::Kind::area:
            draw_area(mark);
            break;
        case Mark::Kind::line:
            draw_line(mark);
            break;
        case Mark::Kind::point:
            draw_point(drawing_, {x(mark.x0), y(mark.y0)}, mark.look);
            break;
        case Mark::Kind::whisker:
            draw_whisker(mark);
            break;
        case Mark::Kind::limit:
            draw_limit(mark);
            break;
        case Mark::Kind::text:
            draw_text(mark);
            break;
        }
    }

    void draw_area(Mark const& mark) {
        double left = inside_x(std::min(mark.x0, mark.x1));
        double right = inside_x(std::max(mark.x0, mark.x1));
        auto const [top, bottom] = std::minmax({inside_y(mark.y0), inside_y(mark.y1)});
        if (right - left < least_seen && panel_.x.kind != Axis::Kind::names) {
            right = left + (mark.x1 == mark.x0 ? 0.0 : least_seen);
        }
        if (right <= left || bottom <= top) {
            return;
        }
        double const size = std::min(style_.letters, 0.86 * (bottom - top));
        bool const named =
            !mark.text.empty() && size >= 4.0 && text_width(mark.text, size) + 2.0 <= right - left;
        draw_box(drawing_,
                 {left, top},
                 {right, bottom},
                 {mark.look.colour, named ? 0 : mark.look.pattern});
        if (named) {
            drawing_.letters({(left + right) / 2.0, (top + bottom) / 2.0 + 0.36 * size},
                             mark.text,
                             size,
                             Anchor::middle,
                             ink_on(mark.look.colour));
        }
    }

    void draw_line(Mark const& mark) {
        Shape shape{{}, false, "", mark.look.colour, mark.width, 0.0, {}};
        shape.dash = dash_of(mark.kind, mark.look);
        for (Point const& point : mark.points) {
            shape.points.push_back({inside_x(point.x), inside_y(point.y)});
        }
        drawing_.parts.emplace_back(std::move(shape));
    }

    void draw_whisker(Mark const& mark) {
        Point const from{inside_x(mark.x0), inside_y(mark.y0)};
        Point const to{inside_x(mark.x1), inside_y(mark.y1)};
        drawing_.line(from, to, mark.look.colour, 0.9);
        bool const flat = from.y == to.y;
        for (Point const& end : {from, to}) {
            drawing_.line({end.x - (flat ? 0.0 : 2.0), end.y - (flat ? 2.0 : 0.0)},
                          {end.x + (flat ? 0.0 : 2.0), end.y + (flat ? 2.0 : 0.0)},
                          mark.look.colour,
                          0.9);
        }
    }

    void draw_limit(Mark const& mark) {
        drawing_.line({inside_x(mark.x0), inside_y(mark.y0)},
                      {inside_x(mark.x1), inside_y(mark.y1)},
                      mark.look.colour,
                      0.8,
                      dash_of(mark.kind, mark.look));
    }

    void draw_text(Mark const& mark) {
        double const shift = mark.anchor == Anchor::begin ? 3.0
                             : mark.anchor == Anchor::end ? -3.0
                                                          : 0.0;
        drawing_.letters({inside_x(mark.x0) + shift, inside_y(mark.y0) + 0.36 * style_.letters},
                         mark.text,
                         style_.letters,
                         mark.anchor,
                         palette().ink);
    }

    Drawing& drawing_;
    Panel const& panel_;
    FigureStyle style_;
    double left_;
    double top_;
    double right_;
    double bottom_;
};

} // namespace

double draw_panel(Drawing& drawing,
                  Panel const& panel,
                  FigureStyle const& style,
                  double left,
                  double top,
                  double right) {
    return PanelDrawing(drawing, panel, style, left, top, right).draw();
}

void draw_box(Drawing& drawing, Point from, Point to, Look const& look) {
    drawing.box(from.x, from.y, to.x, to.y, look.colour);
    std::get<Shape>(drawing.parts.back()).hatch = to.y - from.y >= 2.0 ? look.pattern % 4 : 0;
}

void draw_point(Drawing& drawing, Point at, Look const& look) {
    constexpr std::array<std::size_t, 4> corners{16, 4, 3, 4};
    std::size_t const kind = look.pattern % corners.size();
    double const turn = kind == 1 ? std::numbers::pi / 4.0 : std::numbers::pi / 2.0;
    Shape shape{{}, true, look.colour, palette().ground, 0.3, 0.0, {}};
    for (std::size_t i = 0; i < corners.at(kind); ++i) {
        double const angle = turn + 2.0 * std::numbers::pi * static_cast<double>(i) /
                                        static_cast<double>(corners.at(kind));
        shape.points.push_back({at.x + 2.2 * std::cos(angle), at.y - 2.2 * std::sin(angle)});
    }
    drawing.parts.emplace_back(std::move(shape));
}

double dash_of(Mark::Kind kind, Look const& look) {
    constexpr std::array<double, 4> line_dashes{0.0, 4.0, 1.5, 8.0}; // by pattern
    constexpr double limit_dash = 2.5;
    return kind == Mark::Kind::limit ? limit_dash
                                     : line_dashes.at(look.pattern % line_dashes.size());
}

double widest_of(std::vector<std::string> const& texts, double size) {
    double widest = 0.0;
    for (std::string const& text : texts) {
        widest = std::max(widest, text_width(text, size));
    }
    return widest;
}

} // namespace keyswap::tools
