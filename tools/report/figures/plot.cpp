#include "tools/report/figures/plot.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

FigureStyle style_of(FigureSize size) {
    constexpr double points_per_mm = 72.0 / 25.4;
    return size == FigureSize::column ? FigureStyle{85.0 * points_per_mm, 7.0}
                                      : FigureStyle{180.0 * points_per_mm, 8.0};
}

void draw_entry(Drawing& drawing, LegendEntry const& entry, Point at, double size) {
    Point const from{at.x, at.y - 0.75 * size};
    Point const to{at.x + 10.0, at.y + 0.05 * size};
    Point const middle{(from.x + to.x) / 2.0, (from.y + to.y) / 2.0};
    if (entry.kind == Mark::Kind::area) {
        draw_box(drawing, from, to, entry.look);
    } else if (entry.kind == Mark::Kind::point) {
        draw_point(drawing, middle, entry.look);
    } else {
        drawing.line({from.x, middle.y},
                     {to.x, middle.y},
                     entry.look.colour,
                     1.2,
                     dash_of(entry.kind, entry.look));
    }
}

/// \return bottom of the legend
double draw_legend(Drawing& drawing, Plot const& plot, double size, double top) {
    double x = plot_margin;
    double y = top;
    double const right = drawing.width - plot_margin;
    if (!plot.legend.empty()) {
        y += 1.2 * size;
        for (LegendEntry const& entry : plot.legend) {
            std::string const label = text_that_fits(entry.label, size, right - plot_margin - 14.0);
            double const room = 14.0 + text_width(label, size) + 9.0;
            if (x > plot_margin && x + room - 9.0 > right) {
                x = plot_margin;
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
        double const from = plot_margin + text_width(plot.shades->low, size) + 4.0;
        double const length = 90.0;
        constexpr int steps = 20; // steps of the colour scale
        for (int i = 0; i < steps; ++i) {
            drawing.box(from + length * i / steps,
                        y - 0.8 * size,
                        from + length * (i + 1) / steps,
                        y + 0.1 * size,
                        shade(i / (steps - 1.0)));
        }
        drawing.letters({plot_margin, y}, plot.shades->low, size, Anchor::begin, palette().ink);
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
                for (double const tick : ticks_of(panel.y, panel.height, y_tick_room)) {
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
    return room + plot_margin;
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
         wrapped(text, bold ? 1.06 * size : size, drawing.width - 2.0 * plot_margin)) {
        top += 1.3 * size;
        drawing.parts.emplace_back(
            Letters{{plot_margin, top}, line, size, Anchor::begin, palette().ink, bold, false, {}});
    }
    return top + 0.2 * size;
}

} // namespace

Drawing drawn(Plot const& plot, std::string const& title, FigureForm form) {
    FigureStyle style = style_of(form.size);
    Drawing drawing;
    drawing.width = style.width;
    drawing.title = title;
    double y = plot_margin / 2.0;
    if (form.titled) {
        y = draw_lines(drawing, title, style.letters * 1.1, y, true);
    }
    y = draw_legend(drawing, plot, style.letters, y + 1.0);
    double const room = left_room(plot, style.letters);
    double const room_most = 0.47 * style.width;
    style.names = style.letters * std::clamp(room_most / room, 0.8, 1.0);
    double const left = plot_margin + std::min(room, room_most);
    double const right = style.width - std::min(right_room(plot, style.letters), 0.3 * style.width);
    for (Panel const& panel : plot.panels) {
        y = panel.title.empty() ? y + 4.0
                                : draw_lines(drawing, panel.title, style.letters, y + 2.0, false);
        y = draw_panel(drawing, panel, style, left, y + 0.6 * style.letters, right) + 4.0;
    }
    drawing.height = y + plot_margin / 2.0;
    return drawing;
}

} // namespace keyswap::tools
