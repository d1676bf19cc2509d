#include "tools/report/figures/bar_rows.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>

namespace keyswap::tools {

namespace {

constexpr std::size_t bars_most = 16;
constexpr double bars_across = 2000.0;         ///< per timeline
constexpr std::size_t timeline_gpus_most = 72; ///< if more, only some are drawn
constexpr std::size_t names_in_legend = 12;    ///< of a timeline; others are grey
constexpr std::size_t names_most = 43;         ///< streams; if more, some rows lack a name

std::string phase_name(Json const& phase) {
    auto const name = phase.at("phase").get<std::string>();
    return phase.at("pass").get<int>() > 0 ? name + ", pass " + phase.at("pass").dump() : name;
}

/// Copy between GPUs, from a row of `tasks` with a destination GPU.
struct Copy {
    std::size_t source = 0; ///< indices in `gpus`
    std::size_t destination = 0;
    double begin_ms = 0.0;
    double end_ms = 0.0;
    double bytes = 0.0;
};

std::vector<Copy> copies_of(Json const& section) {
    std::map<std::int64_t, std::size_t> places;
    for (Json const& gpu : section.at("gpus")) {
        places.emplace(gpu.get<std::int64_t>(), places.size());
    }
    Json const& tasks = section.at("tasks");
    bool const profiled = section.at("kind") == "profile";
    std::vector<Copy> copies;
    for (Json const& row : tasks.at("rows")) {
        auto const phase = tasks.at("phases").at(row.at(1).get<std::size_t>());
        bool const swap = profiled || phase == "key swap" || phase == "merge";
        Json const& stream = tasks.at("streams").at(row.at(0).get<std::size_t>()).at("gpu");
        Json const source =
            row.size() > 8 && row.at(8).get<std::int64_t>() >= 0 ? row.at(8) : stream;
        auto const from = source.is_null() ? places.end() : places.find(source.get<std::int64_t>());
        auto const to = places.find(row.at(6).get<std::int64_t>());
        if (swap && from != places.end() && to != places.end()) {
            copies.push_back(
                {from->second, to->second, number(row, 3), number(row, 4), number(row, 5)});
        }
    }
    return copies;
}

/// Merges neighbouring marks of one look whose union is narrower than a page can show.
bool joined(Mark& before, Mark const& next, double narrowest) {
    bool const close = next.x0 - before.x1 < narrowest / 2.0 && next.x0 >= before.x0;
    if (next.look != before.look || !close || next.x1 - before.x0 > narrowest) {
        return false;
    }
    before.x1 = std::max(before.x1, next.x1);
    before.rows->count += 1;
    return true;
}

/// One row per task.
FigureTable timeline_table(Json const& tasks) {
    FigureTable table{{"stream", "phase", "pass", "begin (ms)", "end (ms)", "size (B)", "to GPU"},
                      {}};
    for (Json const& row : tasks.at("rows")) {
        table.rows.push_back({tasks.at("streams").at(row.at(0).get<std::size_t>()).at("name"),
                              tasks.at("phases").at(row.at(1).get<std::size_t>()),
                              row.at(2),
                              row.at(3),
                              row.at(4),
                              row.at(5),
                              row.at(6).get<int>() < 0 ? Json("") : row.at(6)});
    }
    return table;
}

/// Adds the longest phases to the legend, in order of their begin. \return looks by phase name
std::map<std::string, Look> add_phase_legend(FigureTable const& timeline, Plot& plot) {
    std::map<std::string, std::pair<double, double>> spent; // [phase] total ms, first begin
    for (auto const& row : timeline.rows) {
        auto const begin_ms = row[3].get<double>();
        auto& [ms, begin] = spent.try_emplace(row[1], 0.0, begin_ms).first->second;
        ms += row[4].get<double>() - begin_ms;
        begin = std::min(begin, begin_ms);
    }
    std::vector<std::string> named;
    std::ranges::transform(
        spent, std::back_inserter(named), [](auto const& phase) { return phase.first; });
    std::ranges::stable_sort(
        named, std::greater<>(), [&](auto const& name) { return spent.at(name).first; });
    named.resize(std::min(named.size(), names_in_legend));
    std::ranges::stable_sort(named, {}, [&](auto const& name) { return spent.at(name).second; });
    std::map<std::string, Look> looks;
    std::size_t unknown = 0;
    for (std::string const& name : named) {
        auto const known = find_phase_look(name);
        looks[name] = known ? *known : look_of(unknown++);
        plot.legend.push_back({Mark::Kind::area, name, looks[name]});
    }
    return looks;
}

/// Rows of a timeline: the first streams with any task.
struct TimelineRows {
    std::vector<std::string> names;
    std::map<std::size_t, std::size_t> of_stream;
    std::size_t stream_count = 0; ///< streams with any task
};

TimelineRows timeline_rows(Json const& tasks) {
    std::set<std::size_t> busy;
    for (Json const& row : tasks.at("rows")) {
        busy.insert(row.at(0).get<std::size_t>());
    }
    TimelineRows rows;
    rows.stream_count = busy.size();
    bool const all_named = busy.size() <= names_most;
    for (std::size_t const stream : busy) {
        if (rows.names.size() < 2 * timeline_gpus_most) {
            Json const& shown = tasks.at("streams").at(stream);
            rows.of_stream.emplace(stream, rows.names.size());
            rows.names.push_back(all_named || shown.at("gpu").is_null()
                                     ? shown.at("name").get<std::string>()
                                     : "GPU " + shown["gpu"].dump());
        }
    }
    return rows;
}

} // namespace

Json copies_json(Json const& section) {
    return json_array(copies_of(section), [](Copy const& copy) {
        return Json{copy.source, copy.destination, copy.begin_ms, copy.end_ms};
    });
}

Figure phases_figure(Json const& simulation) {
    std::vector<std::string> names;
    std::vector<Mark> marks;
    FigureTable table{{"phase", "pass", "begin (ms)", "end (ms)", "duration (ms)"}, {}};
    auto const total = number(simulation, "total_ms");
    for (Json const& phase : simulation.at("phases")) {
        double const row = as_double(names.size());
        auto const [begin, end] = std::pair{number(phase, "begin_ms"), number(phase, "end_ms")};
        names.push_back(phase_name(phase));
        marks.push_back(
            of_rows(row_bar(phase_look(names.back()), begin, end, row), table.rows.size()));
        marks.push_back(text_mark(end, row, duration_text(end - begin)));
        table.rows.push_back({phase.at("phase"), phase.at("pass"), begin, end, end - begin});
    }
    if (names.empty()) {
        return empty_figure("Phases", "The sort has no phases.");
    }
    Panel panel{"",
                exact_axis("ms", total),
                name_axis(names),
                14.0 * as_double(names.size()),
                std::move(marks)};
    return plotted("Phases",
                   "From a phase's first task on any GPU to its last; phases may overlap.",
                   Plot{{std::move(panel)}},
                   std::move(table));
}

Figure bottlenecks_figure(Json const& simulation) {
    std::string const title = "Which link is the bottleneck";
    auto const total = std::max(1e-12, number(simulation, "total_ms"));
    auto const mean = [](Json const& channel) {
        return number(channel, "mean_GBps") / number(channel, "capacity_GBps");
    };
    std::vector<Json> channels = simulation.at("channels");
    std::ranges::stable_sort(channels, std::greater<>(), [&](Json const& channel) {
        return std::pair{number(channel, "saturated_ms"), mean(channel)};
    });
    FigureTable table{{"link, memory or HBM", "capacity (GB/s)", "mean (GB/s)", "at capacity (ms)"},
                      {}};
    for (Json const& channel : channels) {
        table.rows.push_back({channel.at("name"),
                              channel.at("capacity_GBps"),
                              channel.at("mean_GBps"),
                              channel.at("saturated_ms")});
    }
    if (channels.empty() || number(channels.front(), "saturated_ms") < 0.01 * total) {
        return empty_figure(title,
                            "No link limits this sort: none is at its capacity for 1 % of it.");
    }
    channels.resize(std::min<std::size_t>(channels.size(), 12));
    std::vector<BarRow> bars;
    for (Json const& channel : channels) {
        double const share = number(channel, "saturated_ms") / total;
        bars.push_back({channel.at("name"), {100.0 * share, 100.0 * mean(channel)}, bars.size()});
    }
    return plotted(
        title,
        "The busiest directions of links, memories and HBMs.",
        bar_rows(bars,
                 {{Mark::Kind::area, "% of the time at capacity", {palette().use[2]}},
                  {Mark::Kind::area, "% of the capacity on average", {palette().use[0], 1}}},
                 "%"),
        std::move(table));
}

Figure rates_figure(Json const& simulation) {
    std::string const title = "The busiest links over time";
    Plot plot;
    FigureTable table{{"link", "time (ms)", "rate (GB/s)"}, {}};
    for (Json const& rate : simulation.at("rates")) {
        // One panel per link: overlaid lines would hide each other.
        auto const capacity = number(rate, "capacity_GBps");
        Panel panel{rate.at("name").get<std::string>() + ", of " + printed("%.4g", capacity) +
                        " GB/s",
                    exact_axis("", number(simulation, "total_ms")),
                    exact_axis("", capacity * 1.05),
                    34.0};
        panel.zoomable = true;
        for (Json const& point : rate.at("points")) {
            auto const [ms, GBps] = std::pair{number(point, 0), number(point, 1)};
            table.rows.push_back({rate.at("name"), ms, GBps});
            if (!panel.marks.empty()) {
                panel.marks.back().x1 = ms; // rates are piecewise constant
            }
            if (panel.marks.empty() || panel.marks.back().y1 != GBps) {
                panel.marks.push_back(of_rows(area_mark(look_of(0), ms, 0.0, panel.x.high, GBps),
                                              table.rows.size() - 1));
            }
        }
        plot.panels.push_back(std::move(panel));
    }
    if (plot.panels.empty()) {
        return empty_figure(title, "Nothing is moved, or rates over time were not kept.");
    }
    for (Panel& panel : plot.panels) {
        panel.x.shown = &panel == &plot.panels.back();
    }
    plot.panels.back().x.title = "ms";
    plot.panels.front().y.title = "GB/s";
    return plotted(
        title, "Peak rate in each three-hundredth of the sort.", std::move(plot), std::move(table));
}

Figure swap_order_figure(Json const& section) {
    std::string const title = "Key swap: to whom each GPU sends";
    std::vector<Copy> const copies = copies_of(section);
    if (copies.empty()) {
        return empty_figure(title, "No GPU sends keys to another.");
    }
    std::size_t const gpus = section.at("gpus").size();
    double const begin = std::ranges::min(copies, {}, &Copy::begin_ms).begin_ms;
    double const end = std::ranges::max(copies, {}, &Copy::end_ms).end_ms - begin;
    std::size_t const drawn_gpus = std::min(gpus, timeline_gpus_most);
    auto names = gpu_group_names(section, gpus, 1);
    names.resize(drawn_gpus);
    Panel panel{"",
                exact_axis("ms since the first copy began", end),
                name_axis(names),
                std::clamp(14.0 * as_double(drawn_gpus), 36.0, 420.0)};
    panel.zoomable = true;
    FigureTable table{{"source GPU", "destination GPU", "begin (ms)", "end (ms)", "size (B)"}, {}};
    std::map<std::size_t, Mark> open; // by source; consecutive copies are merged
    for (Copy const& copy : copies) {
        table.rows.push_back({section["gpus"].at(copy.source),
                              section["gpus"].at(copy.destination),
                              copy.begin_ms - begin,
                              copy.end_ms - begin,
                              copy.bytes});
        if (copy.source >= drawn_gpus) {
            continue;
        }
        Look const look = look_of(copy.destination / gpus_per_group(gpus));
        double const row = as_double(copy.source);
        Mark const mark =
            of_rows(row_bar(look, copy.begin_ms - begin, copy.end_ms - begin, row, 0.38),
                    table.rows.size() - 1);
        auto const found = open.find(copy.source);
        if (found != open.end() && found->second.look == look &&
            mark.x0 - found->second.x1 < mark.x1 - mark.x0) {
            found->second.x1 = mark.x1;
            continue;
        }
        if (found != open.end()) {
            panel.marks.push_back(found->second);
        }
        open.insert_or_assign(copy.source, mark);
    }
    for (auto const& [source, mark] : open) {
        panel.marks.push_back(mark);
    }
    Plot plot{{std::move(panel)}};
    add_gpu_legend(plot, section, gpus, "to ");
    return plotted(
        title,
        "A column of one colour is incast: all send to one GPU at once and share its link." +
            (drawn_gpus < gpus ? " The first " + std::to_string(drawn_gpus) + " of " +
                                     std::to_string(gpus) + " GPUs that send."
                               : std::string()),
        std::move(plot),
        std::move(table));
}

Figure timeline_figure(Json const& section) {
    std::string const title = section.at("kind") == "profile"
                                  ? "Timeline as recorded, by GPU and stream"
                                  : "Timeline by GPU and stream";
    FigureTable table = timeline_table(section.at("tasks"));
    if (table.rows.empty()) {
        return empty_figure(title, "No work was recorded or simulated.");
    }
    Plot plot;
    auto const looks = add_phase_legend(table, plot);
    TimelineRows const rows = timeline_rows(section.at("tasks"));
    auto const total = number(section, "total_ms");
    Panel panel{"",
                exact_axis("ms", total),
                name_axis(rows.names),
                std::clamp(11.0 * as_double(rows.names.size()), 40.0, 480.0)};
    panel.zoomable = true;
    std::map<double, std::size_t> drawn_last; // mark of each row
    for (std::size_t index = 0; index < table.rows.size(); ++index) {
        Json const& row = section["tasks"]["rows"][index];
        auto const place = rows.of_stream.find(row.at(0).get<std::size_t>());
        if (place == rows.of_stream.end()) {
            continue;
        }
        double const y = as_double(place->second);
        auto const name = table.rows[index][1].get<std::string>();
        Look const look = looks.contains(name) ? looks.at(name) : phase_look(name);
        Mark const mark = of_rows(row_bar(look, number(row, 3), number(row, 4), y, 0.38), index);
        auto const [last, is_first] = drawn_last.emplace(y, panel.marks.size());
        if (!is_first && joined(panel.marks[last->second], mark, total / bars_across)) {
            continue;
        }
        last->second = panel.marks.size();
        panel.marks.push_back(mark);
    }
    plot.panels.push_back(std::move(panel));
    std::string const cut = rows.names.size() < rows.stream_count
                                ? " The first " + std::to_string(rows.names.size()) + " of " +
                                      std::to_string(rows.stream_count) + " streams."
                                : "";
    return plotted(title, "What every stream does when." + cut, std::move(plot), std::move(table));
}

Figure busy_figure(Json const& profile) {
    std::string const title = "How busy each GPU is";
    auto const total = std::max(1e-12, number(profile, "total_ms"));
    std::vector<BarRow> bars;
    FigureTable table{{"GPU", "kernels (ms)", "copies and fills (ms)", "busy (ms)"}, {}};
    for (Json const& row : profile.at("busy")) {
        auto const share = [&](int column) { return 100.0 * number(row, column) / total; };
        bars.push_back({"GPU " + row.at(0).dump(), {share(1), share(2), share(3)}, bars.size()});
        table.rows.emplace_back(row.begin(), row.end());
    }
    if (bars.empty()) {
        return empty_figure(title, "The recording has no work of GPUs.");
    }
    return plotted(title,
                   "Copies and kernels may overlap.",
                   bar_rows(bars,
                            {{Mark::Kind::area, "kernels", phase_look("sort")},
                             {Mark::Kind::area, "copies and fills", phase_look("key swap")},
                             {Mark::Kind::area, "busy with either", phase_look("several")}},
                            "% of the recorded time"),
                   std::move(table));
}

Figure names_figure(Json const& profile) {
    std::string const title = "Where the GPUs' time goes";
    FigureTable table{{"name", "kind", "calls", "time (ms)", "size (B)"}, {}};
    std::vector<std::string> names;
    Panel panel;
    double most = 0.0;
    for (Json const& row : profile.at("names")) {
        table.rows.emplace_back(row.begin(), row.end());
        if (row.at(1) == "NVTX range" || names.size() == bars_most) {
            continue;
        }
        double const y = as_double(names.size());
        auto const ms = number(row, 3);
        names.push_back(row.at(0));
        Look const look = phase_look(row.at(1) == "kernel" ? "sort" : "key swap");
        panel.marks.push_back(of_rows(row_bar(look, 0.0, ms, y), table.rows.size() - 1));
        panel.marks.push_back(text_mark(ms, y, duration_text(ms)));
        most = std::max(most, ms);
    }
    if (names.empty()) {
        return empty_figure(title, "The recording has no work of GPUs.");
    }
    panel.x = linear_axis("ms", 0.0, most);
    panel.y = name_axis(names);
    panel.height = 13.0 * as_double(names.size());
    return plotted(title,
                   "All calls on all GPUs together, the longest first.",
                   Plot{{std::move(panel)}},
                   std::move(table));
}

} // namespace keyswap::tools
