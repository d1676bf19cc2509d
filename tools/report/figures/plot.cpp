#include "tools/report/figures/plot.hpp"

#include "tools/report/figures/palette.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace keyswap::tools {

namespace {

constexpr double margin = 6.0; ///< on every side, in points
constexpr double tick_length = 3.0;
constexpr double least_seen = 0.4;                               ///< minimum width of an area
constexpr std::array<double, 4> line_dashes{0.0, 4.0, 1.5, 8.0}; ///< by pattern
constexpr double limit_dash = 2.5;

struct Style {
    double width = 0.0;
    double letters = 0.0;
    double names = letters; ///< of long names on the left, at least 4/5 of `letters`
};

Style style_of(FigureSize size) {
    constexpr double points_per_mm = 72.0 / 25.4;
    return size == FigureSize::column ? Style{85.0 * points_per_mm, 7.0}
                                      : Style{180.0 * points_per_mm, 8.0};
}

/// Smallest step of the form {1, 2, 5} * 10^k that covers `span` in at most `count` steps.
double round_step(double span, double count) {
    double const least = span / count;
    double const unit = std::pow(10.0, std::floor(std::log10(least)));
    for (double const factor : {1.0, 2.0, 5.0}) {
        if (factor * unit >= least * (1.0 - 1e-9)) {
            return factor * unit;
        }
    }
    return 10.0 * unit;
}

/// Tick positions for an axis of `length` points, `room` points apart.
std::vector<double> ticks_of(Axis const& axis, double length, double room) {
    std::vector<double> ticks;
    if (axis.kind == Axis::Kind::names) {
        auto const count = static_cast<double>(axis.names.size());
        double const fitting = std::max(1.0, std::floor(length / room));
        double const step = count <= fitting ? 1.0 : std::max(1.0, round_step(count, fitting));
        for (double at = 0.0; at < count; at += step) {
            ticks.push_back(at);
        }
    } else if (axis.kind == Axis::Kind::log) {
        int const first = static_cast<int>(std::ceil(std::log10(axis.low) - 1e-9));
        int const last = static_cast<int>(std::floor(std::log10(axis.high) + 1e-9));
        for (int power = first; power <= last; ++power) {
            ticks.push_back(std::pow(10.0, power));
        }
        if (ticks.size() < 2) {
            ticks = {axis.low, axis.high};
        }
    } else {
        // At least two ticks, even if closer than wanted: a single one does not show the scale.
        double const wanted = std::max(2.0, std::floor(length / room));
        for (double count = wanted; ticks.size() < 2 && count <= 8.0 * wanted; count *= 2.0) {
            ticks.clear();
            double const step = round_step(axis.high - axis.low, count);
            for (double at = std::ceil(axis.low / step - 1e-9);
                 at * step <= axis.high + 1e-9 * step;
                 at += 1.0) {
                ticks.push_back(at * step);
            }
        }
    }
    return ticks;
}

/// Width of the widest text, in points; 0 if there is none.
double widest_of(std::vector<std::string> const& texts, double size) {
    double widest = 0.0;
    for (std::string const& text : texts) {
        widest = std::max(widest, text_width(text, size));
    }
    return widest;
}

std::string tick_text(Axis const& axis, double tick) {
    if (axis.kind == Axis::Kind::names) {
        return axis.names[static_cast<std::size_t>(tick)];
    }
    return (axis.signs && tick > 0.0 ? "+" : "") + short_number(tick);
}

/// Draws a panel at its position.
class Frame {
  public:
    Frame(Drawing& drawing, Panel const& panel, Style style, double left, double top, double right)
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
    static double place(Axis const& axis, double value, double from, double to) {
        double share = 0.0;
        if (axis.kind == Axis::Kind::names) {
            share =
                (value + 0.5) / static_cast<double>(std::max<std::size_t>(1, axis.names.size()));
        } else if (axis.kind == Axis::Kind::log) {
            share = std::log(value / axis.low) / std::log(axis.high / axis.low);
        } else {
            share = (value - axis.low) / (axis.high - axis.low);
        }
        return std::lerp(from, to, share);
    }
    [[nodiscard]] double x(double value) const { return place(panel_.x, value, left_, right_); }
    /// Names ascend downwards, numbers upwards.
    [[nodiscard]] double y(double value) const {
        bool const down = panel_.y.kind == Axis::Kind::names;
        return place(panel_.y, value, down ? top_ : bottom_, down ? bottom_ : top_);
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
        double const room = panel_.y.kind == Axis::Kind::names ? style_.letters + 0.5 : 26.0;
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
                std::string const text =
                    text_that_fits(tick_text(panel_.y, tick), names, left_ - margin - tick_length);
                drawing_.letters(
                    {left_ - tick_length, y(tick) + 0.36 * names}, text, names, Anchor::end, quiet);
            }
        }
        if (!panel_.y.title.empty()) {
            drawing_.parts.emplace_back(Letters{{margin + 0.8 * size, (top_ + bottom_) / 2.0},
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
        shape.dash = line_dashes.at(mark.look.pattern % line_dashes.size());
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
                      limit_dash);
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

  public:
    /// Box in a look; hatched if it is at least 2 points high.
    static void draw_box(Drawing& drawing, Point from, Point to, Look const& look) {
        drawing.box(from.x, from.y, to.x, to.y, look.colour);
        std::get<Shape>(drawing.parts.back()).hatch = to.y - from.y >= 2.0 ? look.pattern % 4 : 0;
    }

    static void draw_point(Drawing& drawing, Point at, Look const& look) {
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

  private:
    Drawing& drawing_;
    Panel const& panel_;
    Style style_;
    double left_;
    double top_;
    double right_;
    double bottom_;
};

void draw_entry(Drawing& drawing, LegendEntry const& entry, Point at, double size) {
    Point const from{at.x, at.y - 0.75 * size};
    Point const to{at.x + 10.0, at.y + 0.05 * size};
    Point const middle{(from.x + to.x) / 2.0, (from.y + to.y) / 2.0};
    if (entry.kind == Mark::Kind::area) {
        Frame::draw_box(drawing, from, to, entry.look);
    } else if (entry.kind == Mark::Kind::point) {
        Frame::draw_point(drawing, middle, entry.look);
    } else {
        double const dash = entry.kind == Mark::Kind::limit
                                ? limit_dash
                                : line_dashes.at(entry.look.pattern % line_dashes.size());
        drawing.line({from.x, middle.y}, {to.x, middle.y}, entry.look.colour, 1.2, dash);
    }
}

/// \return bottom of the legend
double draw_legend(Drawing& drawing, Plot const& plot, double size, double top) {
    double x = margin;
    double y = top;
    double const right = drawing.width - margin;
    if (!plot.legend.empty()) {
        y += 1.2 * size;
        for (LegendEntry const& entry : plot.legend) {
            std::string const label = text_that_fits(entry.label, size, right - margin - 14.0);
            double const room = 14.0 + text_width(label, size) + 9.0;
            if (x > margin && x + room - 9.0 > right) {
                x = margin;
                y += 1.5 * size;
            }
            draw_entry(drawing, entry, {x, y}, size);
            drawing.letters({x + 13.0, y}, label, size, Anchor::begin, palette().ink);
            x += room;
        }
        y += 0.4 * size;
    }
    if (plot.shades) {
        y += 1.2 * size;
        double const from = margin + text_width(plot.shades->low, size) + 4.0;
        double const length = 90.0;
        constexpr int steps = 20; // steps of the colour scale
        for (int i = 0; i < steps; ++i) {
            drawing.box(from + length * i / steps,
                        y - 0.8 * size,
                        from + length * (i + 1) / steps,
                        y + 0.1 * size,
                        shade(i / (steps - 1.0)));
        }
        drawing.letters({margin, y}, plot.shades->low, size, Anchor::begin, palette().ink);
        drawing.letters(
            {from + length + 4.0, y}, plot.shades->high, size, Anchor::begin, palette().ink);
        y += 0.4 * size;
    }
    return y;
}

/// Width for the labels and the title of the y axis.
double left_room(Plot const& plot, double size) {
    double room = 0.0;
    for (Panel const& panel : plot.panels) {
        double widest = 0.0;
        if (panel.y.shown) {
            if (panel.y.kind == Axis::Kind::names) {
                widest = widest_of(panel.y.names, size);
            } else {
                for (double const tick : ticks_of(panel.y, panel.height, 26.0)) {
                    widest = std::max(widest, text_width(tick_text(panel.y, tick), size));
                }
            }
            widest += tick_length;
        }
        room = std::max(room, widest + (panel.y.title.empty() ? 0.0 : 1.5 * size));
    }
    return room + 2.0;
}

/// Width for text marks right of the plot area.
double right_room(Plot const& plot, double size) {
    double room = 0.0;
    for (Panel const& panel : plot.panels) {
        for (Mark const& mark : panel.marks) {
            if (mark.kind == Mark::Kind::text && mark.anchor == Anchor::begin) {
                room = std::max(room, text_width(mark.text, size) + 4.0);
            }
        }
    }
    return room + margin;
}

/// Breaks a text into lines of at most `width` points.
std::vector<std::string> wrapped(std::string const& text, double size, double width) {
    std::vector<std::string> lines(1);
    for (std::size_t begin = 0; begin < text.size();) {
        std::size_t const end = std::min(text.find(' ', begin), text.size());
        std::string const word = text.substr(begin, end - begin);
        std::string const longer = lines.back() + (lines.back().empty() ? "" : " ") + word;
        if (text_width(longer, size) > width && !lines.back().empty()) {
            lines.push_back(word);
        } else {
            lines.back() = longer;
        }
        begin = end + 1;
    }
    return lines;
}

/// \return bottom of the lines
double draw_lines(Drawing& drawing, std::string const& text, double size, double top, bool bold) {
    for (std::string const& line :
         wrapped(text, bold ? 1.06 * size : size, drawing.width - 2.0 * margin)) {
        top += 1.3 * size;
        drawing.parts.emplace_back(
            Letters{{margin, top}, line, size, Anchor::begin, palette().ink, bold, false, {}});
    }
    return top + 0.2 * size;
}

} // namespace

Mark area_mark(Look look, double x0, double y0, double x1, double y1, std::string text) {
    return {Mark::Kind::area, std::move(look), x0, y0, x1, y1, std::move(text)};
}

Mark row_bar(Look look, double from, double to, double row, double half) {
    return area_mark(std::move(look), from, row - half, to, row + half);
}

Mark limit_mark(Look look, double x0, double y0, double x1, double y1) {
    return {Mark::Kind::limit, std::move(look), x0, y0, x1, y1};
}

Mark whisker_mark(Look look, double x0, double y0, double x1, double y1) {
    return {Mark::Kind::whisker, std::move(look), x0, y0, x1, y1};
}

Mark point_mark(Look look, double x, double y) {
    return {Mark::Kind::point, std::move(look), x, y};
}

Mark of_rows(Mark mark, std::size_t first, std::size_t count) {
    mark.rows = Rows{first, count};
    return mark;
}

Mark text_mark(double x, double y, std::string text) {
    return {Mark::Kind::text, {}, x, y, 0.0, 0.0, std::move(text)};
}

Mark line_mark(Look look, std::vector<Point> points) {
    return {Mark::Kind::line, std::move(look), 0.0, 0.0, 0.0, 0.0, "", std::move(points)};
}

Axis linear_axis(std::string title, double low, double high) {
    double const span = high > low ? high - low : std::max(1e-9, std::abs(high));
    double const step = round_step(span, 6.0);
    double const from = std::floor(low / step + 1e-9) * step;
    double const to = std::max(from + step, std::ceil(high / step - 1e-9) * step);
    return {Axis::Kind::linear, std::move(title), from, to};
}

Axis exact_axis(std::string title, double high) {
    return {Axis::Kind::linear, std::move(title), 0.0, high};
}

Axis log_axis(std::string title, double low, double high) {
    if (low <= 0.0) {
        return linear_axis(std::move(title), std::min(0.0, low), high);
    }
    return {Axis::Kind::log,
            std::move(title),
            std::pow(10.0, std::floor(std::log10(low) + 1e-9)),
            std::pow(10.0,
                     std::max(std::floor(std::log10(low) + 1e-9) + 1.0,
                              std::ceil(std::log10(high) - 1e-9)))};
}

Axis name_axis(std::vector<std::string> names) {
    Axis axis{Axis::Kind::names, "", 0.0, static_cast<double>(names.size())};
    axis.names = std::move(names);
    return axis;
}

std::string short_number(double number) {
    for (auto const& [size, letter] :
         {std::pair{1e12, "T"}, std::pair{1e9, "G"}, std::pair{1e6, "M"}, std::pair{1e4, "k"}}) {
        if (std::abs(number) >= size) {
            double const unit = size == 1e4 ? 1e3 : size;
            return printed("%.4g", number / unit) + " " + letter;
        }
    }
    return std::abs(number) < 1e-12 ? "0" : printed("%.4g", number);
}

Drawing drawn(Plot const& plot, std::string const& title, FigureForm form) {
    Style style = style_of(form.size);
    Drawing drawing;
    drawing.width = style.width;
    drawing.title = title;
    double y = margin / 2.0;
    if (form.titled) {
        y = draw_lines(drawing, title, style.letters * 1.1, y, true);
    }
    y = draw_legend(drawing, plot, style.letters, y + 1.0);
    double const room = left_room(plot, style.letters);
    double const room_most = 0.47 * style.width;
    style.names = style.letters * std::clamp(room_most / room, 0.8, 1.0);
    double const left = margin + std::min(room, room_most);
    double const right = style.width - std::min(right_room(plot, style.letters), 0.3 * style.width);
    for (Panel const& panel : plot.panels) {
        y = panel.title.empty() ? y + 4.0
                                : draw_lines(drawing, panel.title, style.letters, y + 2.0, false);
        y = Frame(drawing, panel, style, left, y + 0.6 * style.letters, right).draw() + 4.0;
    }
    drawing.height = y + margin / 2.0;
    return drawing;
}

} // namespace keyswap::tools
