#include "tools/report/figures/figure.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/json.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

/// Ratios of measured to predicted totals, each within its predicted interval.
Panel interval_panel(Json const& rows, FigureTable& table) {
    Extent totals;
    Extent ratios{0.9, 1.1};
    std::vector<Mark> marks;
    for (Json const& row : rows) {
        Json const& total = row.at("phases").at(0);
        if (row.at("interval_ms").is_null() || total.at(0) != "total") {
            continue;
        }
        double const measured = number(total, 1);
        double const predicted = number(total, 2);
        double const from = number(row.at("interval_ms"), 0);
        double const to = number(row.at("interval_ms"), 1);
        bool const is_inside = from <= measured && measured <= to;
        marks.push_back(whisker_mark(
            Look{palette().quiet}, measured, from / predicted, measured, to / predicted));
        marks.push_back(point_mark(look_of(is_inside ? 0 : 1), measured, measured / predicted));
        table.rows.push_back({"total", row.at("label"), measured, predicted, from, to, is_inside});
        totals.include(measured);
        for (double const time : {from, measured, to}) {
            ratios.include(time / predicted);
        }
    }
    Panel panel{"Totals of this file",
                log_axis("measured (ms)", totals.low, totals.high),
                linear_axis("measured / predicted", ratios.low, ratios.high),
                150.0};
    panel.marks = std::move(marks);
    panel.marks.push_back(
        line_mark(Look{palette().quiet}, {{panel.x.low, 1.0}, {panel.x.high, 1.0}}));
    return panel;
}

/// Percentage of held-out runs inside the intervals, by level and class.
Panel coverage_panel(Json const& coverage, FigureTable& table) {
    Panel panel{"Held-out runs of the same classes",
                linear_axis("level of the interval (%)", 0.0, 100.0),
                linear_axis("runs inside (%)", 0.0, 100.0),
                150.0};
    panel.marks.push_back(limit_mark(Look{palette().quiet}, 0.0, 0.0, 100.0, 100.0));
    for (std::size_t index = 0; index < coverage.size(); ++index) {
        Json const& one = coverage.at(index);
        Mark line = line_mark(look_of(index + 2));
        for (Json const& point : one.at("levels")) {
            double const share = number(point, 1) / number(one, "runs");
            line.points.push_back({100.0 * number(point, 0), 100.0 * share});
            table.rows.push_back(
                {"held-out runs", one.at("class"), nullptr, nullptr, nullptr, point.at(0), share});
        }
        panel.marks.push_back(std::move(line));
    }
    return panel;
}

} // namespace

Figure calibration_figure(Json const& validation) {
    std::string const title = "Intervals of predictions, and the runs that they hold";
    FigureTable table{{"of",
                       "configuration or class",
                       "measured (ms)",
                       "predicted (ms)",
                       "from (ms)",
                       "to (ms), or level",
                       "inside"},
                      {}};
    Plot plot;
    plot.panels.push_back(interval_panel(validation.at("rows"), table));
    if (table.rows.empty()) {
        return empty_figure(title, "The file has no totals that an interval was predicted for.");
    }
    plot.panels.push_back(coverage_panel(validation.at("coverage"), table));
    plot.legend = {{Mark::Kind::point, "inside its interval of nine in ten", look_of(0)},
                   {Mark::Kind::point, "outside", look_of(1)},
                   {Mark::Kind::limit, "as many runs as the level says", {palette().quiet}}};
    for (std::size_t index = 0; index < validation.at("coverage").size(); ++index) {
        plot.legend.push_back({Mark::Kind::line,
                               validation.at("coverage").at(index).at("class"),
                               look_of(index + 2)});
    }
    return plotted(title,
                   "Above: measured totals and the intervals in which nine of ten are predicted to "
                   "lie. Below: intervals of other levels, each group of held-out runs judged by "
                   "the errors of the others; above the dashed line they are too wide.",
                   std::move(plot),
                   std::move(table));
}

} // namespace keyswap::tools
