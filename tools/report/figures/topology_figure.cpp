#include "tools/report/figures/figure.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace keyswap::tools {

namespace {

constexpr std::size_t nodes_drawn_most = 400;

double use_of(Json const& direction) {
    return direction.is_null()
               ? 0.0
               : std::max(number(direction, "saturated_share"),
                          number(direction, "mean_GBps") / number(direction, "capacity_GBps"));
}

double capacity_of(Json const& link) {
    for (char const* name : {"forward", "backward", "both"}) {
        if (!link.at(name).is_null()) {
            return number(link.at(name), "capacity_GBps");
        }
    }
    return 0.0;
}

/// Step of the colour scale: up to 25 %, up to 60 %, more.
std::size_t use_step(double use) {
    return use > 0.6 ? 2 : use > 0.25 ? 1 : 0;
}

constexpr std::array<double, 3> step_dashes{0.0, 3.0, 0.0};

/// Positions of the nodes in the drawing.
class Layout {
  public:
    Layout(Json const& nodes, double width, double letters) : letters_(letters) {
        double low = 1e9;
        double high = -1e9;
        for (Json const& node : nodes) {
            low = std::min(low, number(node, "x"));
            high = std::max(high, number(node, "x"));
            depth_ = std::max(depth_, number(node, "y"));
        }
        double const columns = std::max(1.0, high - low + 1.0);
        step_ = (width - 12.0) / columns;
        for (Json const& node : nodes) {
            places_[node.at("name").get<std::string>()] = {
                6.0 + step_ * (number(node, "x") - low + 0.5), 58.0 * number(node, "y")};
        }
    }
    [[nodiscard]] double height() const { return 58.0 * depth_ + 26.0; }
    [[nodiscard]] double box_width() const { return std::min(5.5 * letters_, 0.86 * step_); }
    [[nodiscard]] Point const* find(std::string const& name) const {
        auto const found = places_.find(name);
        return found == places_.end() ? nullptr : &found->second;
    }

  private:
    double letters_;
    double depth_ = 0.0;
    double step_ = 1.0;
    std::map<std::string, Point> places_;
};

void draw_links(Drawing& drawing, Json const& links, Layout const& layout, double top) {
    auto const pair_of = [](Json const& link) {
        auto const [first, second] =
            std::minmax({link.at("from").get<std::string>(), link.at("to").get<std::string>()});
        return std::pair(first, second);
    };
    std::map<std::pair<std::string, std::string>, int> counts;
    for (Json const& link : links) {
        counts[pair_of(link)] += 1;
    }
    std::map<std::pair<std::string, std::string>, int> between;
    // Width grows with capacity, unbounded, so that different links look different. All are scaled
    // down if there are many; the widest is still narrower than a node.
    auto const width_of = [](Json const& link) {
        return std::max(0.5, 0.2 * std::sqrt(capacity_of(link)));
    };
    double widest = 0.5;
    for (Json const& link : links) {
        widest = std::max(widest, width_of(link));
    }
    double const many = std::sqrt(30.0 / std::max(1.0, static_cast<double>(links.size())));
    double const thin = std::min({1.0, many, 0.6 * layout.box_width() / widest});
    for (Json const& link : links) {
        auto const names = pair_of(link);
        Point const* from = layout.find(names.first);
        Point const* to = layout.find(names.second);
        if (from == nullptr || to == nullptr) {
            continue;
        }
        // Parallel links are drawn side by side, within the width of a node.
        int const nth = between[names]++;
        double const apart = std::min(5.0, layout.box_width() / counts.at(names));
        double const shift = apart * std::ceil(nth / 2.0) * (nth % 2 == 0 ? 1.0 : -1.0);
        double const length = std::max(1.0, std::hypot(to->x - from->x, to->y - from->y));
        Point const aside{(from->y - to->y) / length * shift, (to->x - from->x) / length * shift};
        std::size_t const step = use_step(std::max(
            {use_of(link.at("forward")), use_of(link.at("backward")), use_of(link.at("both"))}));
        drawing.line({from->x + aside.x, top + from->y + aside.y},
                     {to->x + aside.x, top + to->y + aside.y},
                     palette().use[step],
                     width_of(link) * thin,
                     step_dashes.at(step));
    }
}

void draw_nodes(
    Drawing& drawing, Json const& section, Layout const& layout, double top, double size) {
    std::size_t gpus = 0;
    for (Json const& node : section.at("topology").at("nodes")) {
        auto const name = node.at("name").get<std::string>();
        Point const at = *layout.find(name);
        double const y = top + at.y;
        if (node.at("kind") == "switch") {
            drawing.box(at.x - 3.0, y - 3.0, at.x + 3.0, y + 3.0, palette().quiet);
            if (layout.box_width() > 14.0) {
                std::string const shown = text_that_fits(name, size, 1.6 * layout.box_width());
                double const half = text_width(shown, size) / 2.0 + 1.0;
                drawing.box(at.x - half, y - 6.0 - size, at.x + half, y - 4.0, palette().ground);
                drawing.letters({at.x, y - 5.5}, shown, size, Anchor::middle, palette().ink);
            }
            continue;
        }
        bool const gpu = node.at("kind") == "gpu";
        bool const sorts =
            gpu && std::ranges::find(section.at("gpus"), Json(gpus)) != section.at("gpus").end();
        gpus += gpu ? 1 : 0;
        std::string const fill = sorts ? shade(0.25) : gpu ? palette().ground : palette().band;
        double const half = layout.box_width() / 2.0;
        Shape box = rectangle({at.x - half, y - 8.0}, {at.x + half, y + 8.0}, fill);
        box.stroke = palette().quiet;
        box.width = 0.6;
        drawing.parts.emplace_back(std::move(box));
        if (half > 7.0) {
            drawing.letters({at.x, y + 0.36 * size},
                            text_that_fits(name, size, 2.0 * half - 2.0),
                            size,
                            Anchor::middle,
                            sorts ? ink_on(fill) : palette().ink);
        }
    }
}

/// Labels only the first and last node of rows whose nodes are too small for labels.
void name_ends(Drawing& drawing, Json const& nodes, Layout const& layout, double top, double size) {
    std::map<double, std::pair<Json const*, Json const*>> rows;
    for (Json const& node : nodes) {
        auto& [first, last] = rows.try_emplace(number(node, "y"), &node, &node).first->second;
        first = number(node, "x") < number(*first, "x") ? &node : first;
        last = number(node, "x") > number(*last, "x") ? &node : last;
    }
    auto const name = [&](Json const* node, double at, Anchor anchor) {
        auto const text = node->at("name").get<std::string>();
        Point const place = *layout.find(text);
        double const width = text_width(text, size);
        double const left = at - (anchor == Anchor::begin ? 0.0
                                  : anchor == Anchor::end ? width
                                                          : width / 2.0);
        double const base = top + place.y - 10.0;
        drawing.box(left - 1.0, base - size, left + width + 1.0, base + 2.0, palette().ground);
        drawing.letters({at, base}, text, size, anchor, palette().ink);
    };
    for (auto const& [y, ends] : rows) {
        auto const [first, last] = ends;
        if (first == last) {
            name(first, layout.find(first->at("name"))->x, Anchor::middle);
        } else {
            name(first, 6.0, Anchor::begin);
            name(last, drawing.width - 6.0, Anchor::end);
        }
    }
}

} // namespace

Figure topology_figure(Json const& simulation) {
    std::string const title = "The machine and how its links are used";
    Json const& topology = simulation.at("topology");
    if (topology.at("nodes").size() > nodes_drawn_most) {
        return empty_figure(
            title, grouped_count(topology.at("nodes").size()) + " nodes are too many to draw.");
    }
    Figure figure;
    figure.title = title;
    figure.note = "The wider a line, the more it can carry. GPUs that sort are filled. Use is the "
                  "share of the sort at "
                  "capacity, or of the capacity on average, whichever is more.";
    figure.table.columns = {"link",
                            "kind",
                            "from",
                            "to",
                            "capacity (GB/s)",
                            "mean (GB/s)",
                            "peak (GB/s)",
                            "at capacity (share of time)"};
    for (Json const& link : topology.at("links")) {
        for (auto const& [name, from, to] : {std::array{"forward", "from", "to"},
                                             std::array{"backward", "to", "from"},
                                             std::array{"both", "from", "to"}}) {
            Json const& direction = link.at(name);
            if (!direction.is_null()) {
                figure.table.rows.push_back({link.at("name"),
                                             link.at("kind"),
                                             link.at(from),
                                             link.at(to),
                                             direction.at("capacity_GBps"),
                                             direction.at("mean_GBps"),
                                             direction.at("peak_GBps"),
                                             direction.at("saturated_share")});
            }
        }
    }
    figure.draw = [section = simulation, title](FigureForm form) {
        Plot legend;
        for (auto const& [step, label] : {std::pair{0U, "used up to 25 %"},
                                          std::pair{1U, "25 to 60 %"},
                                          std::pair{2U, "more than 60 %"}}) {
            legend.legend.push_back(
                {step == 1 ? Mark::Kind::limit : Mark::Kind::line, label, {palette().use[step]}});
        }
        Drawing drawing = drawn(legend, title, form);
        double const letters = form.size == FigureSize::column ? 6.0 : 7.5;
        Layout const layout(section.at("topology").at("nodes"), drawing.width, letters);
        double const top = drawing.height + 20.0;
        draw_links(drawing, section.at("topology").at("links"), layout, top);
        draw_nodes(drawing, section, layout, top, letters);
        if (layout.box_width() <= 14.0) {
            name_ends(drawing, section.at("topology").at("nodes"), layout, top, letters);
        }
        drawing.height = top + layout.height() - 12.0;
        return drawing;
    };
    return figure;
}

} // namespace keyswap::tools
