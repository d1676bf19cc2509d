#include "tools/report/figures/figure.hpp"
#include "tools/report/figures/palette.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/lower_case.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace keyswap::tools {

namespace {

constexpr std::size_t ranks_most = 30;
constexpr std::size_t lines_most = 16;

std::string field_text(std::string const& field, Json const& value) {
    if (value.is_null()) {
        return field == "link" ? "as it is" : "default";
    }
    return value.is_string() ? value.get<std::string>() : short_number(value.get<double>());
}

std::string gpus_text(Json const& row) {
    auto const count = row.at("gpu_count").get<int>();
    return count == 0 ? "the CPUs"
                      : (count == 1 ? "GPU " : "GPUs ") + row.at("gpus").get<std::string>();
}

/// Distinguishing values of a row, except for the field `without`.
std::string row_name(Json const& sweep, Json const& row, std::string const& without) {
    std::string name;
    static std::set<std::string> const by_value{
        "algorithm", "distribution", "key_type", "link", "input_on", "platform"};
    for (Json const& axis : sweep.at("varied")) {
        auto const field = axis.at("field").get<std::string>();
        if (field == without) {
            continue;
        }
        std::string const value = field_text(field, row.at(field));
        name += (name.empty() ? "" : ", ") +
                (by_value.contains(field) ? value
                 : field == "num_keys"    ? value + " keys"
                                          : axis.at("name").get<std::string>() + " " + value);
    }
    if (sweep.at("gpus_vary").get<bool>() && without != "gpu_count") {
        name += (name.empty() ? "" : ", ") + gpus_text(row);
    }
    return name.empty() ? "all" : name;
}

FigureTable sweep_table(Json const& sweep) {
    constexpr std::array<std::pair<char const*, char const*>, 20> fields{
        {{"platform", "platform"},
         {"algorithm", "algorithm"},
         {"num_keys", "keys"},
         {"key_type", "key type"},
         {"distribution", "distribution"},
         {"parameter", "parameter"},
         {"digit_bits", "digit bits"},
         {"tolerance_ppm", "tolerance (ppm)"},
         {"fuse_ppm", "fuse (ppm)"},
         {"link", "link change"},
         {"gpu_memory", "GPU memory (B)"},
         {"gpus", "GPUs"},
         {"equivalent_sets", "sets like it"},
         {"passes", "passes"},
         {"key_swap_ms", "key swap (ms)"},
         {"total_ms", "total (ms)"},
         {"keys_per_s", "keys/s"},
         {"speed_up", "speed-up"},
         {"device_bytes", "memory per GPU (B)"},
         {"error", "cannot run because"}}};
    FigureTable table;
    for (auto const& [field, column] : fields) {
        table.columns.emplace_back(column);
    }
    table.columns.insert(table.columns.end(), {"from (ms)", "to (ms)"});
    for (Json const& row : sweep.at("rows")) {
        auto& cells = table.rows.emplace_back();
        for (auto const& [field, column] : fields) {
            cells.push_back(row.value(field, Json()));
        }
        Json const interval = row.value("interval_ms", Json());
        cells.push_back(interval.is_array() ? interval.at(0) : Json());
        cells.push_back(interval.is_array() ? interval.at(1) : Json());
    }
    return table;
}

/// Index of a row in the sweep's table.
std::size_t place_of(Json const& sweep, Json const& row) {
    return static_cast<std::size_t>(&row - sweep.at("rows").get_ref<Json::array_t const&>().data());
}

/// Trailing number of a link change: 300 for "nvlink=300"; nullopt if there is none.
std::optional<double> link_number(Json const& link) {
    if (!link.is_string()) {
        return std::nullopt;
    }
    auto const text = link.get<std::string>();
    std::size_t const begin = text.find_last_not_of("0123456789.") + 1;
    return begin < text.size() ? std::optional(std::strtod(text.c_str() + begin, nullptr))
                               : std::nullopt;
}

/// Varied numeric parameter of a sweep, the x axis of its charts.
struct Question {
    std::string field;
    std::string name;
    [[nodiscard]] std::optional<double> at(Json const& row) const {
        Json const& value = row.at(field);
        return field == "link"     ? link_number(value)
               : value.is_number() ? std::optional(value.get<double>())
                                   : std::nullopt;
    }
};

/// Chooses the varied parameter; GPU count only if each count has rows and counts differ.
std::optional<Question> question_of(Json const& sweep) {
    for (Json const& axis : sweep.at("varied")) {
        auto const field = axis.at("field").get<std::string>();
        Question const question{field, lower_case(axis.at("name").get<std::string>())};
        std::set<double> values;
        for (Json const& row : sweep.at("rows")) {
            if (auto const value = question.at(row)) {
                values.insert(*value);
            }
        }
        if (values.size() > 1) {
            return question;
        }
    }
    std::set<int> counts;
    for (Json const& row : sweep.at("rows")) {
        counts.insert(row.at("gpu_count").get<int>());
    }
    return counts.size() > 1 ? std::optional(Question{"gpu_count", "number of GPUs"})
                             : std::nullopt;
}

} // namespace

Figure ranking_figure(Json const& sweep) {
    std::string const title = "The fastest first";
    double size = 0.0;
    for (Json const& row : sweep.at("rows")) {
        size = std::max(size,
                        row.at("total_ms").is_null() || !row.at("num_keys").is_number()
                            ? 0.0
                            : number(row, "num_keys"));
    }
    std::vector<Json const*> rows;
    for (Json const& row : sweep.at("rows")) {
        bool const largest = !row.at("num_keys").is_number() || number(row, "num_keys") == size;
        if (!row.at("total_ms").is_null() && largest) {
            rows.push_back(&row);
        }
    }
    if (rows.empty()) {
        return empty_figure(title, "None of the combinations can run.");
    }
    if (rows.size() == 1 && question_of(sweep)) {
        return empty_figure(title, "One row has no rank.");
    }
    std::ranges::stable_sort(rows, {}, [](Json const* row) { return number(*row, "total_ms"); });
    std::size_t const all = rows.size();
    rows.resize(std::min(all, ranks_most));
    Panel panel;
    std::vector<std::string> names;
    std::array<Look, 2> const looks{phase_look("key swap"), look_of(0)};
    double most = 0.0;
    for (Json const* given : rows) {
        Json const& row = *given;
        double const y = as_double(names.size());
        names.push_back(std::to_string(names.size() + 1) + ". " + row_name(sweep, row, "num_keys"));
        auto const total = number(row, "total_ms");
        auto const swap = row.at("key_swap_ms").is_number() ? number(row, "key_swap_ms") : 0.0;
        std::size_t const place = place_of(sweep, row);
        panel.marks.push_back(of_rows(row_bar(looks[0], 0.0, swap, y), place));
        panel.marks.push_back(of_rows(row_bar(looks[1], swap, total, y), place));
        double end = total;
        if (row.at("interval_ms").is_array()) {
            end = number(row.at("interval_ms"), 1);
            panel.marks.push_back(
                whisker_mark(Look{palette().ink}, number(row.at("interval_ms"), 0), y, end, y));
        }
        panel.marks.push_back(text_mark(end, y, duration_text(total)));
        most = std::max(most, end);
    }
    panel.x = linear_axis("ms", 0.0, most);
    panel.height = 13.0 * as_double(names.size());
    panel.y = name_axis(std::move(names));
    Plot plot{{std::move(panel)},
              {{Mark::Kind::area, "key swap", looks[0]},
               {Mark::Kind::area, "everything else", looks[1]}}};
    std::string const cut = all > rows.size() ? " The first " + std::to_string(rows.size()) +
                                                    " of " + std::to_string(all) + "."
                                              : "";
    return plotted(
        title, "Lines with ends are intervals." + cut, std::move(plot), sweep_table(sweep));
}

Figure lines_figure(Json const& sweep) {
    auto const question = question_of(sweep);
    if (!question) {
        return empty_figure("Time by what varies",
                            "No number varies, so there is nothing to draw a line along.");
    }
    std::string const title = "Time by " + question->name;
    // For several GPU sets of one size, the fastest counts.
    std::vector<std::pair<std::string, std::map<double, Json const*>>> series;
    for (Json const& row : sweep.at("rows")) {
        auto const at = question->at(row);
        if (at && !row.at("total_ms").is_null()) {
            std::string const name = row_name(sweep, row, question->field);
            auto found = std::ranges::find(series, name, [](auto const& one) { return one.first; });
            if (found == series.end()) {
                found = series.insert(found, {name, {}});
            }
            Json const*& best = found->second[*at];
            if (best == nullptr || number(row, "total_ms") < number(*best, "total_ms")) {
                best = &row;
            }
        }
    }
    if (series.empty()) {
        return empty_figure(title, "None of the combinations can run.");
    }
    Extent across;
    Extent times;
    Plot plot;
    std::vector<Mark> marks;
    std::size_t index = 0;
    for (auto const& [name, rows] : series) {
        if (index == lines_most) {
            break;
        }
        Look const look = look_of(index);
        Mark line = line_mark(look);
        for (auto const& [at, given] : rows) {
            Json const& row = *given;
            auto const total = number(row, "total_ms");
            line.points.push_back({at, total});
            across.include(at);
            Json const& interval = row.at("interval_ms");
            if (interval.is_array()) {
                marks.push_back(
                    whisker_mark(look, at, number(interval, 0), at, number(interval, 1)));
                times.include(number(interval, 0));
                times.include(number(interval, 1));
            }
            marks.push_back(of_rows(point_mark(look, at, total), place_of(sweep, row)));
            times.include(total);
        }
        marks.insert(marks.begin(), std::move(line));
        plot.legend.push_back({rows.size() > 1 ? Mark::Kind::line : Mark::Kind::point, name, look});
        ++index;
    }
    bool const powers =
        question->field == "num_keys" && across.low > 0.0 && across.high / across.low > 20.0;
    Panel panel{"",
                powers ? log_axis(question->name, across.low, across.high)
                       : linear_axis(question->name, 0.0, across.high),
                powers ? log_axis("total (ms)", times.low, times.high)
                       : linear_axis("total (ms)", 0.0, times.high),
                180.0,
                std::move(marks)};
    plot.panels.push_back(std::move(panel));
    if (series.size() == 1) {
        plot.legend.clear();
    }
    std::string const cut =
        series.size() > lines_most
            ? " " + std::to_string(lines_most) + " of " + std::to_string(series.size()) + " lines."
            : "";
    return plotted(
        title, "Lines with ends are intervals." + cut, std::move(plot), sweep_table(sweep));
}

Figure heat_figure(Json const& sweep) {
    if (sweep.at("varied").size() < 2) {
        return empty_figure("Time by two that vary", "Fewer than two things vary.");
    }
    std::array<Json, 2> const axes{sweep.at("varied").at(0), sweep.at("varied").at(1)};
    std::array<std::vector<std::string>, 2> values;
    Json const& first = sweep.at("rows").front();
    std::vector<std::pair<Point, Json const*>> cells;
    for (Json const& row : sweep.at("rows")) {
        bool same = row.at("gpus") == first.at("gpus") && !row.at("total_ms").is_null();
        for (std::size_t other = 2; other < sweep.at("varied").size(); ++other) {
            auto const field = sweep.at("varied").at(other).at("field").get<std::string>();
            same = same && row.at(field) == first.at(field);
        }
        if (!same) {
            continue;
        }
        Point at;
        for (std::size_t axis = 0; axis < 2; ++axis) {
            auto const field = axes.at(axis).at("field").get<std::string>();
            std::string const text = field_text(field, row.at(field));
            auto& known = values.at(axis);
            auto const place = std::ranges::find(known, text);
            (axis == 0 ? at.x : at.y) = static_cast<double>(place - known.begin());
            if (place == known.end()) {
                known.push_back(text);
            }
        }
        cells.emplace_back(at, &row);
    }
    auto const name = [&](std::size_t axis) {
        return lower_case(axes.at(axis).at("name").get<std::string>());
    };
    std::string const title = "Time in ms, by " + name(0) + " and " + name(1);
    if (cells.empty()) {
        return empty_figure(title, "None of these combinations can run.");
    }
    auto const ms_of = [](auto const& cell) { return number(*cell.second, "total_ms"); };
    double const most = ms_of(std::ranges::max(cells, {}, ms_of));
    Panel panel{"", name_axis(values[0]), name_axis(values[1]), 18.0 * as_double(values[1].size())};
    panel.x.title = name(0);
    for (auto const& cell : cells) {
        Point const at = cell.first;
        panel.marks.push_back(of_rows(area_mark(Look{shade(ms_of(cell) / most)},
                                                at.x - 0.49,
                                                at.y - 0.48,
                                                at.x + 0.49,
                                                at.y + 0.48,
                                                significant_text(ms_of(cell), 3)),
                                      place_of(sweep, *cell.second)));
    }
    std::string const left_out = cells.size() < sweep.at("rows").size()
                                     ? " Of " + gpus_text(first) + "; the table has all."
                                     : "";
    return plotted(title,
                   "The scale begins at zero." + left_out,
                   Plot{{std::move(panel)}, {}, ShadeLegend{"0 ms", duration_text(most)}},
                   sweep_table(sweep));
}

} // namespace keyswap::tools
