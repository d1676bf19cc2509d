#include "tools/report/figures/figure.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/grouped_count.hpp"

#include <algorithm>
#include <array>

namespace keyswap::tools {

namespace {

constexpr std::size_t named_buckets_most = 40;

/// Noun for the parts of the operation's keys.
std::string part_noun(Json const& operation) {
    auto const name = operation.at("operation").get<std::string>();
    return name == "histogram" ? "bin" : name == "external-sort" ? "range" : "bucket";
}

} // namespace

Figure counts_figure(Json const& operation) {
    std::string const part = part_noun(operation);
    bool const bins = part == "bin";
    std::string const title =
        bins ? "How many samples each bin counts" : "How many keys each " + part + " has";
    Json const buckets = operation.value("buckets", Json::object());
    Json const keys = buckets.value("keys", Json::array());
    if (keys.empty()) {
        return empty_figure(title, "The trace has no counts of buckets.");
    }
    FigureTable table{{part, "holds", "first index", "keys"}, {}};
    bool const named = keys.size() <= named_buckets_most;
    Panel panel;
    std::vector<std::string> names;
    double most = 1.0;
    for (std::size_t bucket = 0; bucket < keys.size(); ++bucket) {
        auto const count = number(keys, bucket);
        double const at = as_double(bucket);
        auto const name = buckets.at("ranges").at(bucket).get<std::string>();
        bool const outside = bins && (bucket == 0 || bucket + 1 == keys.size());
        Look const look = outside ? Look{palette().use[0], 1} : look_of(0);
        panel.marks.push_back(of_rows(named ? row_bar(look, 0.0, count, at)
                                            : area_mark(look, at - 0.5, 0.0, at + 0.6, count),
                                      bucket));
        if (named) {
            panel.marks.push_back(
                text_mark(count, at, grouped_count(keys.at(bucket).get<std::uint64_t>())));
        }
        names.push_back(named ? name : std::to_string(bucket));
        table.rows.push_back({bucket, name, buckets.at("starts").at(bucket), keys.at(bucket)});
        most = std::max(most, count);
    }
    panel.height = named ? 12.0 * as_double(names.size()) : 150.0;
    (named ? panel.y : panel.x) = name_axis(std::move(names));
    (named ? panel.x : panel.y) = linear_axis(bins ? "samples" : "keys", 0.0, most);
    panel.x.title = named ? panel.x.title : table.columns.front();
    return plotted(title,
                   bins ? "Grey bins count what lies outside of all edges." : "",
                   Plot{{std::move(panel)}},
                   std::move(table));
}

Figure places_figure(Json const& operation) {
    std::string const part = part_noun(operation);
    std::string const title = "Where the " + part + "s lie in the output";
    Json const buckets = operation.value("buckets", Json::object());
    auto const all = number(operation, "keys");
    if (part == "bin" || operation.at("operation") == "sssp" || all <= 0.0) {
        return empty_figure(title, "There are no keys to place.");
    }
    FigureTable table{{part, "holds", "first index", "keys"}, {}};
    Panel panel{"", exact_axis("index in the output (keys)", all), name_axis({""}), 40.0};
    panel.y.shown = false;
    panel.zoomable = true;
    for (std::size_t bucket = 0; bucket < buckets.at("keys").size(); ++bucket) {
        auto const begin = number(buckets.at("starts"), bucket);
        auto const keys = number(buckets["keys"], bucket);
        table.rows.push_back({bucket,
                              buckets.at("ranges").at(bucket),
                              buckets["starts"].at(bucket),
                              buckets["keys"].at(bucket)});
        if (keys > 0.0) {
            std::string const number = std::to_string(bucket);
            panel.marks.push_back(of_rows(
                area_mark(look_of(bucket), begin, -0.45, begin + keys, 0.45, number), bucket));
        }
    }
    return plotted(title,
                   "The output from its first key to its last; each strip is a " + part + ".",
                   Plot{{std::move(panel)}},
                   std::move(table));
}

Figure rounds_figure(Json const& operation) {
    std::string const title = "What each round did";
    Json const rounds = operation.value("rounds", Json::array());
    if (rounds.empty()) {
        return empty_figure(title, "There are no rounds.");
    }
    constexpr std::array<std::pair<char const*, std::size_t>, 3> lines{
        {{"waiting at its start", 1}, {"of those, relaxed", 2}, {"vertices brought nearer", 3}}};
    FigureTable table{{"round", "pending", "frontier", "improved"}, {}};
    Plot plot;
    Panel panel;
    double most = 1.0;
    for (std::size_t index = 0; index < lines.size(); ++index) {
        Mark line = line_mark(look_of(index));
        for (Json const& round : rounds) {
            auto const value = number(round, lines.at(index).second);
            line.points.push_back({number(round, 0), value});
            most = std::max(most, value);
        }
        panel.marks.push_back(std::move(line));
        plot.legend.push_back({Mark::Kind::line, lines.at(index).first, look_of(index)});
    }
    for (Json const& round : rounds) {
        table.rows.push_back({round.at(0), round.at(1), round.at(2), round.at(3)});
    }
    panel.x = linear_axis("round", 0.0, number(rounds.back(), 0));
    panel.y = linear_axis("vertices", 0.0, most);
    panel.height = 150.0;
    panel.zoomable = true;
    plot.panels.push_back(std::move(panel));
    return plotted(title,
                   "Vertices that wait when a round begins, those that it relaxes, and those whose "
                   "distance it lowers.",
                   std::move(plot),
                   std::move(table));
}

Figure waiting_figure(Json const& operation) {
    std::string const title = "How far away the waiting vertices are";
    FigureTable table{{"round", "bucket", "vertices"}, {}};
    std::vector<std::string> rounds;
    std::size_t buckets = 0;
    double most = 0.0;
    for (Json const& round : operation.value("rounds", Json::array())) {
        rounds.push_back(round.at(0).dump());
        buckets = std::max(buckets, round.at(6).size());
        for (std::size_t bucket = 0; bucket < round.at(6).size(); ++bucket) {
            table.rows.push_back({round.at(0), bucket, round.at(6).at(bucket)});
            most = std::max(most, number(round.at(6), bucket));
        }
    }
    if (buckets == 0 || most <= 0.0) {
        return empty_figure(title, "The trace has no counts of its rounds' buckets.");
    }
    std::vector<std::string> names;
    for (std::size_t bucket = 0; bucket < buckets; ++bucket) {
        names.push_back(buckets == 2 ? (bucket == 0 ? "near" : "far") : std::to_string(bucket));
    }
    Panel panel{"",
                name_axis(rounds),
                name_axis(names),
                std::clamp(12.0 * as_double(buckets), 30.0, 300.0)};
    panel.x.title = "round";
    panel.y.title = "bucket";
    std::size_t index = 0;
    for (std::size_t round = 0; round < rounds.size(); ++round) {
        for (; index < table.rows.size() && table.rows[index][0].dump() == rounds[round]; ++index) {
            auto const y = table.rows[index][1].get<double>();
            double const x = as_double(round);
            panel.marks.push_back(
                of_rows(row_bar(Look{shade(table.rows[index][2].get<double>() / most)},
                                x - 0.5,
                                x + 0.5,
                                y,
                                0.47),
                        index));
        }
    }
    return plotted(
        title,
        "Vertices that wait in each round, by bucket.",
        Plot{{std::move(panel)},
             {},
             ShadeLegend{"0", grouped_count(static_cast<std::uint64_t>(most)) + " vertices"}},
        std::move(table));
}

Figure failure_figure(Json const& foreign) {
    std::string const title = "Where the output's keys belong";
    Json const columns = foreign.at("failure").at("columns");
    if (columns.empty()) {
        return empty_figure(title, "No failure was recorded.");
    }
    FigureTable table{
        {"place in the output (%)", "lowest place of its keys (%)", "highest (%)", "wrong"}, {}};
    Panel panel{"",
                linear_axis("place in the output (%)", 0.0, 100.0),
                linear_axis("where its keys belong (%)", 0.0, 100.0),
                170.0};
    panel.marks.push_back(line_mark(Look{palette().quiet, 1}, {{0.0, 0.0}, {100.0, 100.0}}));
    double const width = 100.0 / as_double(columns.size());
    std::array<Look, 2> const looks{Look{shade(0.5)}, Look{palette().use[2]}};
    for (std::size_t column = 0; column < columns.size(); ++column) {
        auto const [low, high] =
            std::pair{number(columns.at(column), 0) / 10.0, number(columns.at(column), 1) / 10.0};
        Json const& flag = columns.at(column).at(2);
        bool const wrong = flag.is_boolean() ? flag.get<bool>() : flag.get<int>() != 0;
        double const x = width * as_double(column);
        panel.marks.push_back(of_rows(area_mark(looks.at(wrong ? 1 : 0),
                                                x,
                                                std::max(0.0, low - 0.4),
                                                x + width,
                                                std::min(100.0, high + 0.4)),
                                      column));
        table.rows.push_back({x + width / 2.0, low, high, wrong ? "yes" : "no"});
    }
    return plotted(title,
                   "Each column is a stretch of the output, drawn over the places at which its "
                   "keys belong: all on the diagonal if it is sorted.",
                   Plot{{std::move(panel)},
                        {{Mark::Kind::area, "all keys are right", looks[0]},
                         {Mark::Kind::area, "a key is wrong", looks[1]}}},
                   std::move(table));
}

} // namespace keyswap::tools
