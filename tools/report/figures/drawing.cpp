#include "tools/report/figures/drawing.hpp"

#include "tools/report/figures/glyphs.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/number_text.hpp"
#include "tools/text/text_width.hpp"
#include "traces/format/xml_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

namespace keyswap::tools {

namespace {

std::string decimal(double value) {
    std::string text = printed("%.2f", value);
    while (text.back() == '0') {
        text.pop_back();
    }
    if (text.back() == '.') {
        text.pop_back();
    }
    return text == "-0" ? "0" : text;
}

/// An attribute of an XML element, with a space before.
std::string attribute(std::string_view name, std::string_view value) {
    return ' ' + std::string(name).append("=\"").append(value).append("\"");
}

std::string attribute(std::string_view name, double value) {
    return attribute(name, std::string_view(decimal(value)));
}

std::string path_data(Shape const& shape) {
    std::string data;
    for (std::size_t i = 0; i < shape.points.size(); ++i) {
        data += (i == 0   ? "M"
                 : i == 1 ? "L"
                          : " ") +
                decimal(shape.points[i].x) + " " + decimal(shape.points[i].y);
    }
    return data + (shape.closed ? "Z" : "");
}

bool is_rectangle(Shape const& shape) {
    auto const& at = shape.points;
    return shape.closed && at.size() == 4 && at[0].x == at[3].x && at[1].x == at[2].x &&
           at[0].y == at[1].y && at[2].y == at[3].y;
}

/// Writes an SVG file, or an element of a page; collects the styles of animated shapes and writes
/// them at the end.
class SvgWriter {
  public:
    /// \param page_id id of the element; empty for a file
    /// \param number index of the drawing on the page; prefix of short ids
    explicit SvgWriter(std::string page_id = "", std::size_t number = 0)
        : page_id_(std::move(page_id)), number_("d" + std::to_string(number)) {}

    std::string write(Drawing const& drawing) {
        write_parts(drawing);
        std::string const width = decimal(drawing.width);
        std::string const height = decimal(drawing.height);
        std::string const view = attribute("viewBox", "0 0 " + width + " " + height) + ">\n";
        std::string text = in_page() ? "<svg" + attribute("id", page_id_) + view
                                     : "<svg xmlns=\"http://www.w3.org/2000/svg\" "
                                       "xmlns:xlink=\"http://www.w3.org/1999/xlink\" role=\"img\"" +
                                           attribute("width", width + "pt") +
                                           attribute("height", height + "pt") + view + "<title>" +
                                           xml_text(drawing.title) + "</title>\n<desc>" +
                                           xml_text(drawing.description) + "</desc>\n";
        if (!motions_.empty()) {
            std::string const reduced =
                "@media (prefers-reduced-motion:reduce){.m{animation-name:none!important}}\n";
            text += "<style>\n.m{animation:" + decimal(drawing.duration_s) + "s linear infinite" +
                    (in_page() ? " paused}\n" : "}\n" + reduced) + motions_ + "</style>\n";
        }
        if (!in_page()) {
            text += "<defs>\n";
            for (auto const& [code, glyph] : used_) {
                text +=
                    "<path" + attribute("id", id_of(*glyph)) + attribute("d", glyph->path) + "/>\n";
            }
            text += "</defs>\n";
        } else if (!pattern_defs_.empty()) {
            text += "<defs>\n" + pattern_defs_ + "</defs>\n";
        }
        return text + "<rect" + attribute("width", width) + attribute("height", height) +
               attribute("fill", colour_of(palette().ground)) + "/>\n" + body_ + "</svg>\n";
    }

  private:
    [[nodiscard]] bool in_page() const { return !page_id_.empty(); }

    [[nodiscard]] std::string colour_of(std::string const& colour) const {
        return !in_page() || colour.starts_with('#') ? hex_of(colour) : "var(--" + colour + ")";
    }

    void write_parts(Drawing const& drawing) {
        std::multimap<std::size_t, std::string> tags;
        for (Zoomable const& area : drawing.zoomable) {
            if (!in_page()) {
                break;
            }
            std::string const x = decimal(area.from.x);
            std::string const y = decimal(area.from.y);
            std::string const width = decimal(area.to.x - area.from.x);
            std::string const height = decimal(area.to.y - area.from.y);
            tags.emplace(area.begin,
                         "<svg class=\"zoom\"" + attribute("x", x) + attribute("y", y) +
                             attribute("width", width) + attribute("height", height) +
                             attribute("viewBox", x + " " + y + " " + width + " " + height) +
                             " preserveAspectRatio=\"none\"" +
                             attribute("data-low", printed("%.9g", area.low)) +
                             attribute("data-high", printed("%.9g", area.high)) + ">\n");
            tags.emplace(area.end, "</svg>\n");
            if (area.ticks_end > area.ticks_begin) {
                tags.emplace(area.ticks_begin, "<g class=\"ticks\">\n");
                tags.emplace(area.ticks_end, "</g>\n");
            }
        }
        for (std::size_t i = 0; i <= drawing.parts.size(); ++i) {
            for (auto [tag, last] = tags.equal_range(i); tag != last; ++tag) {
                body_ += tag->second;
                stretched_ = tag->second.starts_with("<svg");
                if (!stretched_ && !labels_.empty()) {
                    body_ += "<g class=\"labels\">\n" + std::exchange(labels_, "") + "</g>\n";
                }
            }
            if (i < drawing.parts.size()) {
                std::visit([this](auto const& shown) { add(shown); }, drawing.parts[i]);
            }
        }
    }

    static std::string id_of(Glyph const& glyph) { return "g" + formatted("%x", glyph.code); }

    /// Attribute that animates a part.
    std::string moving(std::vector<Keyframe> const& motion) {
        if (motion.empty()) {
            return "";
        }
        std::string const name = number_ + "m" + std::to_string(motion_count_++);
        motions_ += "@keyframes " + name + "{";
        for (Keyframe const& frame : motion) {
            motions_ += decimal(100.0 * frame.time) + "%{transform:translate(" +
                        decimal(frame.shift.x) + "px," + decimal(frame.shift.y) +
                        "px);opacity:" + decimal(frame.opacity) + "}";
        }
        motions_ += "}\n";
        std::string const hidden = motion.back().opacity < 0.5 ? " opacity=\"0\"" : "";
        return " class=\"m\"" + hidden + " style=\"animation-name:" + name + "\"";
    }

    /// Id of a hatch pattern for a shape's colour.
    std::string pattern_of(Shape const& shape) {
        auto const [found, is_new] =
            patterns_.emplace(shape.fill + "/" + std::to_string(shape.hatch),
                              number_ + "p" + std::to_string(patterns_.size()));
        if (is_new) {
            constexpr std::array<char const*, 3> lines{
                "M-1 1L1 -1M0 5L5 0M4 6L6 4", "M-1 4L1 6M0 0L5 5M4 -1L6 1", "M0 2.5H5"};
            pattern_defs_ += "<pattern" + attribute("id", found->second) +
                             " width=\"5\" height=\"5\" patternUnits=\"userSpaceOnUse\">" +
                             "<rect width=\"5\" height=\"5\"" +
                             attribute("fill", colour_of(shape.fill)) + "/>" +
                             hatch_path(shape, lines.at(shape.hatch - 1)) + "</pattern>\n";
        }
        return found->second;
    }

    static std::string hatch_path(Shape const& shape, std::string const& data) {
        return "<path" + attribute("d", data) + " fill=\"none\"" +
               attribute("stroke", hatch_colour(shape)) + attribute("stroke-width", hatch_width) +
               "/>";
    }

    static std::string hatch_data(Shape const& shape) {
        std::string data;
        auto const lines = hatch_lines(shape);
        for (std::size_t i = 0; i < lines.size(); ++i) {
            data += (i % 2 == 0 ? "M" : "L") + decimal(lines[i].x) + " " + decimal(lines[i].y);
        }
        return data;
    }

    void add(Shape const& shape) {
        std::string const fill = shape.fill.empty()             ? "none"
                                 : in_page() && shape.hatch > 0 ? "url(#" + pattern_of(shape) + ")"
                                                                : colour_of(shape.fill);
        std::string look = attribute("fill", fill);
        if (!shape.stroke.empty()) {
            look += attribute("stroke", colour_of(shape.stroke)) +
                    attribute("stroke-width", shape.width);
            look += shape.dash > 0.0 ? attribute("stroke-dasharray", shape.dash) : "";
        }
        std::string const motion = moving(shape.motion);
        bool const hatched = !in_page() && shape.hatch > 0;
        look += hatched ? "" : motion;
        if (in_page() && shape.rows) {
            look += attribute("data-r", std::to_string(shape.rows->first));
            look +=
                shape.rows->count > 1 ? attribute("data-n", std::to_string(shape.rows->count)) : "";
        }
        if (is_rectangle(shape)) {
            auto const [left, right] = std::minmax(shape.points[0].x, shape.points[2].x);
            auto const [top, bottom] = std::minmax(shape.points[0].y, shape.points[2].y);
            body_ += hatched && !motion.empty() ? "<g" + motion + ">" : "";
            body_ += "<rect" + attribute("x", left) + attribute("y", top) +
                     attribute("width", right - left) + attribute("height", bottom - top) + look +
                     "/>\n";
            if (hatched) {
                body_ += hatch_path(shape, hatch_data(shape)) + (motion.empty() ? "\n" : "</g>\n");
            }
            return;
        }
        body_ += "<path" + attribute("d", path_data(shape)) + look + "/>\n";
    }

    void add(Letters const& letters) {
        if (in_page()) {
            (stretched_ ? labels_ : body_) += text_element(letters);
            return;
        }
        double const scale = letters.size / glyph_units;
        std::string const size = printed("%.5f", scale);
        std::string const fill = hex_of(letters.fill);
        // The outer group is animated, the inner one positioned: CSS would replace its transform.
        body_ += "<g" + moving(letters.motion) + "><g transform=\"translate(" +
                 decimal(letters.at.x) + " " + decimal(letters.at.y) + ")" +
                 (letters.upright ? " rotate(-90)" : "") + " translate(" +
                 decimal(anchor_shift(letters)) + " 0) scale(" + size + " -" + size + ")\"" +
                 attribute("fill", fill) +
                 (letters.bold ? attribute("stroke", fill) + attribute("stroke-width", bold_stroke)
                               : "") +
                 ">";
        double x = 0.0;
        for (Glyph const* glyph : glyphs_of(letters.text)) {
            if (!glyph->path.empty()) {
                used_[glyph->code] = glyph;
                body_ += "<use" + attribute("xlink:href", "#" + id_of(*glyph)) +
                         (x > 0.0 ? attribute("x", x) : "") + "/>";
            }
            x += glyph->advance;
        }
        body_ += "</g></g>\n";
    }

    std::string text_element(Letters const& letters) {
        std::string const x = decimal(letters.at.x);
        std::string const y = decimal(letters.at.y);
        std::string const anchor = letters.anchor == Anchor::begin ? ""
                                   : letters.anchor == Anchor::end
                                       ? attribute("text-anchor", "end")
                                       : attribute("text-anchor", "middle");
        std::string text =
            "<text" + attribute("x", x) + attribute("y", y) + attribute("font-size", letters.size) +
            anchor + (letters.bold ? attribute("font-weight", "bold") : "") +
            (letters.upright ? attribute("transform", "rotate(-90 " + x + " " + y + ")") : "") +
            attribute("fill", colour_of(letters.fill)) + ">" + xml_text(letters.text) + "</text>";
        return letters.motion.empty() ? text + "\n"
                                      : "<g" + moving(letters.motion) + ">" + text + "</g>\n";
    }

    std::string page_id_;
    std::string number_;
    std::string body_;
    std::string labels_; ///< text in zoomable areas, not stretched
    bool stretched_ = false;
    std::map<std::string, std::string> patterns_;
    std::string pattern_defs_;
    std::string motions_;
    std::size_t motion_count_ = 0;
    std::map<unsigned, Glyph const*> used_;
};

/// Interpolates between the keyframes around a time.
Keyframe at_time(std::vector<Keyframe> const& motion, double time) {
    auto const next =
        std::ranges::find_if(motion, [time](Keyframe const& frame) { return frame.time >= time; });
    if (next == motion.end() || next == motion.begin()) {
        return next == motion.end() ? motion.back() : motion.front();
    }
    Keyframe const& before = *std::prev(next);
    double const share = (time - before.time) / (next->time - before.time);
    return {time,
            {std::lerp(before.shift.x, next->shift.x, share),
             std::lerp(before.shift.y, next->shift.y, share)},
            std::lerp(before.opacity, next->opacity, share)};
}

} // namespace

Shape rectangle(Point from, Point to, std::string fill) {
    return {{from, {to.x, from.y}, to, {from.x, to.y}}, true, std::move(fill), "", 0.0, 0.0, {}};
}

void Drawing::box(double left, double top, double right, double bottom, std::string const& fill) {
    parts.emplace_back(rectangle({left, top}, {right, bottom}, fill));
}

void Drawing::letters(
    Point at, std::string text, double size, Anchor anchor, std::string const& fill) {
    parts.emplace_back(Letters{at, std::move(text), size, anchor, fill, false, false, {}});
}

void Drawing::line(
    Point from, Point to, std::string const& stroke, double stroke_width, double dash) {
    parts.emplace_back(Shape{{from, to}, false, "", stroke, stroke_width, dash, {}});
}

double anchor_shift(Letters const& letters) {
    double const width = text_width(letters.text, letters.size);
    return letters.anchor == Anchor::begin ? 0.0
           : letters.anchor == Anchor::end ? -width
                                           : -width / 2.0;
}

double text_width(std::string_view text, double size) {
    auto const glyphs = glyphs_of(text);
    return size / glyph_units *
           std::transform_reduce(glyphs.begin(), glyphs.end(), 0.0, std::plus<>(), [](auto glyph) {
               return glyph->advance;
           });
}

std::string text_that_fits(std::string const& text, double size, double width) {
    if (text_width(text, size) <= width) {
        return text;
    }
    std::vector<std::string> letters; // UTF-8 characters
    for (char const byte : text) {
        !begins_character(byte) && !letters.empty() ? letters.back().push_back(byte)
                                                    : letters.emplace_back().push_back(byte);
    }
    // Shortens the middle, since names with equal beginnings often differ at the end.
    for (std::size_t kept = letters.size() - 1; kept > 0; --kept) {
        std::string cut;
        for (std::size_t i = 0; i < letters.size(); ++i) {
            std::size_t const first = (kept + 1) / 2;
            cut += i < first || i >= letters.size() - (kept - first) ? letters[i] : "";
            cut += i == first ? "…" : "";
        }
        if (text_width(cut, size) <= width) {
            return cut;
        }
    }
    return "";
}

std::string hatch_colour(Shape const& shape) {
    return mixed(shape.fill, "#ffffff", 0.65);
}

std::vector<Point> hatch_lines(Shape const& shape) {
    constexpr double step = 3.6;
    auto const [from, to] = std::pair{shape.points.at(0), shape.points.at(2)};
    double const width = to.x - from.x;
    double const height = to.y - from.y;
    // Global phase: hatches continue across areas, and areas narrower than a step have lines too.
    auto const first_after = [](double at) { return (std::floor(at / step) + 1.0) * step - at; };
    std::vector<Point> lines;
    if (shape.hatch == 3) {
        for (double at = from.y + first_after(from.y); at < to.y; at += step) {
            lines.insert(lines.end(), {{from.x, at}, {to.x, at}});
        }
        return lines;
    }
    bool const rises = shape.hatch == 1;
    for (double at = first_after(from.y + (rises ? from.x : -to.x)); at < width + height;
         at += step) {
        for (double const across : {std::max(0.0, at - height), std::min(at, width)}) {
            lines.push_back({rises ? from.x + across : to.x - across, from.y + at - across});
        }
    }
    return lines;
}

std::string svg_of(Drawing const& drawing) {
    return SvgWriter().write(drawing);
}

std::string inline_svg(Drawing const& drawing, std::string const& id, std::size_t number) {
    return SvgWriter(id, number).write(drawing);
}

Drawing frame_of(Drawing const& drawing, double time) {
    Drawing still = drawing;
    still.parts.clear();
    still.duration_s = 0.0;
    for (auto part : drawing.parts) {
        bool const seen = std::visit(
            [time](auto& shown) {
                if (shown.motion.empty()) {
                    return true;
                }
                Keyframe const now = at_time(shown.motion, time);
                shown.motion.clear();
                if constexpr (std::is_same_v<std::decay_t<decltype(shown)>, Shape>) {
                    for (Point& point : shown.points) {
                        point = {point.x + now.shift.x, point.y + now.shift.y};
                    }
                } else {
                    shown.at = {shown.at.x + now.shift.x, shown.at.y + now.shift.y};
                }
                return now.opacity >= 0.5;
            },
            part);
        if (seen) {
            still.parts.push_back(std::move(part));
        }
    }
    return still;
}

} // namespace keyswap::tools
