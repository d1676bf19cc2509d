#include "tools/report/figures/bar_rows.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/joined_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace keyswap::tools {

namespace {

std::string signed_percent(double share) {
    return printed("%+.1f %%", 100.0 * share);
}

std::string phase_kind(std::string const& phase) {
    return phase.starts_with("partition") ? "partition" : phase;
}

struct ErrorPoint {
    double truth = 0.0;
    double error = 0.0; ///< %
    std::size_t group = 0;
    std::size_t row = 0; ///< row of the table
};

/// Errors of predictions by true value.
Plot error_plot(std::vector<ErrorPoint> const& points,
                std::vector<std::string> const& groups,
                std::string truth_name) {
    Extent errors{-10.0, 10.0};
    Extent truths;
    for (ErrorPoint const& point : points) {
        errors.include(point.error);
        truths.include(point.truth);
    }
    Panel panel{"",
                log_axis(std::move(truth_name), truths.low, truths.high),
                linear_axis("error of the prediction (%)", errors.low, errors.high),
                190.0};
    panel.y.signs = true;
    for (double const limit : {-10.0, 10.0}) {
        panel.marks.push_back(
            limit_mark(Look{palette().quiet}, panel.x.low, limit, panel.x.high, limit));
    }
    panel.marks.push_back(
        line_mark(Look{palette().quiet}, {{panel.x.low, 0.0}, {panel.x.high, 0.0}}));
    for (ErrorPoint const& point : points) {
        panel.marks.push_back(
            of_rows(point_mark(look_of(point.group), point.truth, point.error), point.row));
    }
    Plot plot{{std::move(panel)}};
    for (std::size_t group = 0; group < groups.size(); ++group) {
        if (std::ranges::find(points, group, &ErrorPoint::group) != points.end()) {
            plot.legend.push_back({Mark::Kind::point, groups[group], look_of(group)});
        }
    }
    plot.legend.push_back({Mark::Kind::limit, "10 % off", {palette().quiet}});
    return plot;
}

/// Shortest-path searches are drawn separately: their errors of 90 % would compress the scale of
/// the others.
Figure rates_figure_of(Json const& rates, std::string title, bool searches) {
    std::vector<ErrorPoint> points;
    FigureTable table{{"table", "cell", "use", "published (ms)", "predicted (ms)"}, {}};
    for (Json const& row : rates.at("rows")) {
        if (row.at("predicted").is_null() || row.at("unit") != "ms" ||
            (row.at("operation") == "sssp") != searches) {
            continue;
        }
        std::size_t const use = row.at("use") == "fitted" ? 0 : row.at("use") == "held-out" ? 1 : 2;
        points.push_back({number(row, "published"),
                          100.0 * (number(row, "predicted") / number(row, "published") - 1.0),
                          use,
                          table.rows.size()});
        table.rows.push_back({row.at("table"),
                              row.at("label"),
                              row.at("use"),
                              row.at("published"),
                              row.at("predicted")});
    }
    if (points.empty()) {
        return empty_figure(std::move(title), "No row can be predicted.");
    }
    return plotted(
        std::move(title),
        "Each point is a cell of a published table; above 0 the prediction is too slow. Constants "
        "of the devices were fitted to the cells marked so, and never saw the others.",
        error_plot(points, {"fitted", "held out", "suspect"}, "published (ms)"),
        std::move(table));
}

} // namespace

Figure comparison_figure(Json const& comparison) {
    std::vector<std::string> names;
    FigureTable table{{"phase"}, {}};
    for (Json const& run : comparison.at("runs")) {
        names.push_back(run.at("name"));
        table.columns.push_back(names.back() + " (ms)");
    }
    std::vector<Json> rows = comparison.at("rows");
    // The total comes first.
    std::stable_partition(
        rows.begin(), rows.end(), [](Json const& row) { return row.at("phase") == "total"; });
    std::vector<BarRow> bars;
    for (Json const& row : rows) {
        bars.push_back({row.at("phase"), row.at("ms"), table.rows.size()});
        table.rows.push_back({row.at("phase")});
        table.rows.back().insert(table.rows.back().end(), row.at("ms").begin(), row.at("ms").end());
    }
    return plotted(
        "How long each phase takes",
        "Each phase on its slowest GPU. Phases may overlap, so they need not add up to the total.",
        bar_rows(bars, bar_series(names), "ms"),
        std::move(table));
}

Figure uncertainty_figure(Json const& validation) {
    std::string const title = "Uncertainty of predictions: measured over predicted time, by phase";
    std::map<std::string, std::vector<std::size_t>> phases; // rows of the table
    FigureTable table{
        {"phase", "configuration", "measured (ms)", "predicted (ms)", "measured over predicted"},
        {}};
    for (Json const& row : validation.at("rows")) {
        for (Json const& phase : row.at("phases")) {
            auto const [measured, predicted] = std::pair{number(phase, 1), number(phase, 2)};
            if (measured < 1.0 || predicted <= 0.0) {
                continue;
            }
            std::string const kind = phase_kind(phase.at(0));
            phases[kind].push_back(table.rows.size());
            table.rows.push_back(
                {kind, row.at("label"), measured, predicted, measured / predicted});
        }
    }
    std::vector<std::string> names;
    Panel panel;
    Extent drawn{0.9, 1.1};
    Look const wide{shade(0.2)};
    Look const narrow{shade(0.45)};
    for (Json const& summary : validation.at("summary")) {
        auto const found = phases.find(summary.at(0));
        if (found == phases.end()) {
            continue;
        }
        double const row = as_double(names.size());
        names.push_back(found->first);
        auto const [median, p95] = std::pair{number(summary, 2), number(summary, 3)};
        // Errors are relative to the measured time: predicted = measured * (1 +- error).
        for (auto const& [error, look] : {std::pair{p95, wide}, std::pair{median, narrow}}) {
            double const most = 1.0 / std::max(0.05, 1.0 - error);
            panel.marks.push_back(row_bar(look, 1.0 / (1.0 + error), most, row, 0.42));
            drawn.include(most);
        }
        for (std::size_t i = 0; i < found->second.size(); ++i) {
            // Deterministic jitter within the row, so that equal points do not
            // overlap.
            double const aside = 0.66 * (std::fmod(as_double(i) * 0.618034, 1.0) - 0.5);
            std::size_t const line = found->second[i];
            auto const ratio = table.rows[line][4].get<double>();
            panel.marks.push_back(
                of_rows(point_mark(Look{palette().ink}, ratio, row + aside), line));
            drawn.include(ratio);
        }
    }
    if (names.empty()) {
        return empty_figure(title, "No phase took 1 ms or longer.");
    }
    panel.x = linear_axis("measured / predicted", drawn.low, drawn.high);
    double const end = as_double(names.size()) - 0.5;
    panel.marks.push_back(limit_mark(Look{palette().ink}, 1.0, -0.5, 1.0, end));
    panel.height = 34.0 * as_double(names.size());
    panel.y = name_axis(std::move(names));
    Plot plot{{std::move(panel)},
              {{Mark::Kind::point, "a measured configuration", {palette().ink}},
               {Mark::Kind::area, "half of them are off by less", narrow},
               {Mark::Kind::area, "19 of 20 are", wide},
               {Mark::Kind::limit, "as predicted", {palette().ink}}}};
    return plotted(title,
                   "Right of the line the run took longer than predicted. Phases of at least 1 ms.",
                   std::move(plot),
                   std::move(table));
}

Figure accuracy_figure(Json const& validation) {
    std::string const title = "Errors of predicted totals";
    std::vector<ErrorPoint> points;
    FigureTable table{{"configuration", "runs", "measured (ms)", "predicted (ms)", "error (share)"},
                      {}};
    for (Json const& row : validation.at("rows")) {
        for (Json const& phase : row.at("phases")) {
            if (phase.at(0) == "total" && number(phase, 1) > 0.0) {
                double const error = number(phase, 2) / number(phase, 1) - 1.0;
                points.push_back({number(phase, 1), 100.0 * error, 0, table.rows.size()});
                table.rows.push_back(
                    {row.at("label"), row.at("runs"), phase.at(1), phase.at(2), error});
            }
        }
    }
    if (points.empty()) {
        return empty_figure(title, "The file has no measurements.");
    }
    return plotted(title,
                   "Each point is a configuration; above 0 the prediction is too slow.",
                   error_plot(points, {"configuration"}, "measured (ms)"),
                   std::move(table));
}

Figure stacks_figure(Json const& validation) {
    std::string const title = "Phases, measured and predicted, by GPUs";
    std::map<std::string, std::vector<Json>> families;
    for (Json const& row : validation.at("rows")) {
        if (!row.at("gpus").empty()) {
            families[row.at("algorithm").dump() + row.at("key_type").dump() +
                     row.at("distribution").dump() + row.at("parameter").dump() +
                     row.at("keys").dump()]
                .push_back(row);
        }
    }
    auto const largest = std::ranges::max_element(families, {}, [](auto const& family) {
        return std::pair{family.second.size(),
                         family.second.front().at("keys").template get<std::uint64_t>()};
    });
    if (largest == families.end()) {
        return empty_figure(title, "No configuration ran on GPUs.");
    }
    std::vector<Json> rows = largest->second;
    std::ranges::stable_sort(rows, {}, [](Json const& row) { return row.at("gpus").size(); });
    rows.resize(std::min<std::size_t>(rows.size(), 24));
    constexpr std::array<char const*, 4> kinds{
        "host to device", "partition", "key swap", "sort and copy back"};
    Panel panel;
    std::vector<std::string> names;
    FigureTable table{{"GPUs", "phase", "measured (ms)", "predicted (ms)"}, {}};
    double most = 0.0;
    for (Json const& row : rows) {
        std::string const gpus =
            joined_text(row.at("gpus"), ",", [](Json const& gpu) { return gpu.dump(); });
        for (bool const predicted : {false, true}) {
            double const y = as_double(names.size());
            double at = 0.0;
            double total = 0.0;
            double measured = 0.0;
            names.push_back(predicted ? "predicted" : "GPUs " + gpus + "  measured");
            for (std::string const kind : kinds) {
                double const begin = at;
                for (Json const& phase : row.at("phases")) {
                    at += phase_kind(phase.at(0)) == kind ? number(phase, predicted ? 2 : 1) : 0.0;
                }
                Look look = phase_look(kind);
                look.colour = predicted ? mixed(look.colour, "#ffffff", 0.45) : look.colour;
                panel.marks.push_back(
                    area_mark(look, begin, y - 0.42, at, y + (predicted ? 0.2 : 0.42)));
            }
            for (Json const& phase : row.at("phases")) {
                total = phase.at(0) == "total" ? number(phase, predicted ? 2 : 1) : total;
                measured = phase.at(0) == "total" ? number(phase, 1) : measured;
                if (!predicted) {
                    table.rows.push_back({gpus, phase.at(0), phase.at(1), phase.at(2)});
                }
            }
            panel.marks.push_back(text_mark(
                at,
                y,
                duration_text(total) + (predicted && measured > 0.0
                                            ? " (" + signed_percent(total / measured - 1.0) + ")"
                                            : "")));
            most = std::max({most, at});
        }
    }
    panel.x = linear_axis("ms, slowest GPU of each phase", 0.0, most);
    panel.height = 13.0 * as_double(names.size());
    panel.y = name_axis(std::move(names));
    Plot plot{{std::move(panel)}};
    for (char const* kind : kinds) {
        plot.legend.push_back({Mark::Kind::area, kind, phase_look(kind)});
    }
    std::string const what = short_number(number(rows.front(), "keys")) + " " +
                             rows.front().at("key_type").get<std::string>() + " keys, " +
                             rows.front().at("distribution").get<std::string>();
    return plotted(
        title + ": " + what,
        "The paler bar of each pair is predicted; numbers are totals, with the error of the "
        "predicted one.",
        std::move(plot),
        std::move(table));
}

Figure errors_figure(Json const& validation) {
    std::vector<BarRow> bars;
    FigureTable table{
        {"phase", "configurations", "median (share)", "95th percentile (share)", "worst (share)"},
        {}};
    for (Json const& row : validation.at("summary")) {
        if (row.at(1).get<int>() > 0) {
            bars.push_back(
                {row.at(0),
                 {100.0 * number(row, 2), 100.0 * number(row, 3), 100.0 * number(row, 4)},
                 table.rows.size()});
        }
        table.rows.emplace_back(row.begin(), row.end());
    }
    if (bars.empty()) {
        return empty_figure("Errors by phase", "No phase took 1 ms or longer.");
    }
    return plotted("Errors by phase",
                   "Half of all configurations are off by less than the first bar, 19 of 20 by "
                   "less than the second.",
                   bar_rows(bars, bar_series({"median", "95th percentile", "worst"}), "error (%)"),
                   std::move(table));
}

Figure rates_accuracy_figure(Json const& rates) {
    return rates_figure_of(rates, "Errors of predicted times", false);
}

Figure rates_searches_figure(Json const& rates) {
    return rates_figure_of(rates, "Errors of predicted times, shortest paths", true);
}

Figure rates_errors_figure(Json const& rates) {
    std::vector<BarRow> bars;
    FigureTable table{{"table",
                       "fitted cells",
                       "fitted, median (share)",
                       "held-out cells",
                       "held out, median (share)",
                       "held out, 95th percentile (share)"},
                      {}};
    for (Json const& row : rates.at("tables")) {
        Json const& fitted = row.at("fitted");
        Json const& held_out = row.at("held_out");
        if (fitted.at(0).get<int>() + held_out.at(0).get<int>() > 0) {
            bars.push_back({row.at("table"),
                            {100.0 * number(fitted, 1),
                             100.0 * number(held_out, 1),
                             100.0 * number(held_out, 2)},
                            table.rows.size()});
        }
        table.rows.push_back({row.at("table"),
                              fitted.at(0),
                              fitted.at(1),
                              held_out.at(0),
                              held_out.at(1),
                              held_out.at(2)});
    }
    if (bars.empty()) {
        return empty_figure("Errors by table", "No row can be predicted.");
    }
    auto const series =
        bar_series({"fitted, median", "held out, median", "held out, 95th percentile"});
    return plotted("Errors by table",
                   "How far the cells of each table are off, without suspect ones.",
                   bar_rows(bars, series, "error (%)"),
                   std::move(table));
}

} // namespace keyswap::tools
