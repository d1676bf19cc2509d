#include "tools/report/figures/figure.hpp"

#include "tools/report/exports.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace keyswap::tools {

namespace {

using Json = nlohmann::ordered_json;

/// A field of a CSV file. Spreadsheets would run what begins like a formula.
std::string field_of(Json const& value) {
    if (value.is_number_float()) {
        double const number = value;
        constexpr double exact_most = 9e15; // of whole numbers in a double
        return number == std::floor(number) && std::abs(number) < exact_most
                   ? printed("%.0f", number)
                   : printed("%.12g", number);
    }
    if (!value.is_string()) {
        return value.is_null() ? "" : value.dump();
    }
    auto const text = value.get<std::string>();
    bool const formula = text.find_first_of("=+-@\t\r") == 0;
    return csv_field((formula ? "'" : "") + text);
}

void move_down(Drawing& drawing, double by) {
    for (auto& part : drawing.parts) {
        if (auto* const letters = std::get_if<Letters>(&part)) {
            letters->at.y += by;
            continue;
        }
        for (Point& point : std::get<Shape>(part).points) {
            point.y += by;
        }
    }
}

/// A run with the times of its copies, if the document has a simulation of it.
Json with_copy_times(Json const& run, Json const& document) {
    Json timed = run;
    for (Json const& section : document.at("sections")) {
        if (section.at("kind") == "simulation" &&
            section.at("gpus").size() == run.at("gpus").size()) {
            timed["copy_times"] = copies_json(section);
            return timed;
        }
    }
    return timed;
}

Figure made(FigureKind const& kind, Json const& section, Json const& document) {
    return kind.make(kind.name == "motion" ? with_copy_times(section, document) : section);
}

} // namespace

std::vector<FigureKind> const& figure_kinds() {
    static std::vector<FigureKind> const kinds{
        {"comparison", "comparison", comparison_figure},
        {"doubt", "validation", doubt_figure, true},
        {"accuracy", "validation", accuracy_figure},
        {"stacks", "validation", stacks_figure},
        {"errors", "validation", errors_figure},
        {"calibration", "validation", calibration_figure, true},
        {"rates-accuracy", "rates", rates_accuracy_figure},
        {"rates-errors", "rates", rates_errors_figure},
        {"ranking", "sweep", ranking_figure},
        {"lines", "sweep", lines_figure},
        {"heat", "sweep", heat_figure},
        {"timeline", "profile", timeline_figure},
        {"busy", "profile", busy_figure},
        {"names", "profile", names_figure},
        {"matrix", "profile", matrix_figure},
        {"swap-order", "profile", swap_order_figure},
        {"buckets", "run", buckets_figure},
        {"balance", "run", balance_figure},
        {"swap", "run", swap_figure},
        {"matrix", "run", matrix_figure},
        {"motion", "run", motion_figure, true},
        {"timeline", "run", recorded_timeline_figure},
        {"failure", "foreign", failure_figure},
        {"counts", "operation", counts_figure},
        {"rounds", "operation", rounds_figure},
        {"waiting", "operation", waiting_figure},
        {"phases", "simulation", phases_figure},
        {"bottlenecks", "simulation", bottlenecks_figure},
        {"topology", "simulation", topology_figure},
        {"rates", "simulation", rates_figure},
        {"swap-order", "simulation", swap_order_figure},
        {"timeline", "simulation", timeline_figure},
    };
    return kinds;
}

std::vector<NamedFigure> figures_of(Json const& document) {
    std::vector<NamedFigure> figures;
    std::map<std::string, int> used;
    for (Json const& section : document.at("sections")) {
        for (FigureKind const& kind : figure_kinds()) {
            if (section.at("kind") != kind.section) {
                continue;
            }
            Figure figure = made(kind, section, document);
            // An empty figure takes no name from one that can be drawn.
            int const number = figure.empty.empty() ? ++used[kind.name] : 1;
            figures.push_back({kind.name + (number == 1 ? "" : "-" + std::to_string(number)),
                               section.at("title").get<std::string>(),
                               std::move(figure)});
        }
    }
    return figures;
}

Json page_drawings(Json const& document) {
    Json drawings = Json::array();
    for (Json const& section : document.at("sections")) {
        Json& shown = drawings.emplace_back(Json::array());
        for (FigureKind const& kind : figure_kinds()) {
            if (!kind.on_page || section.at("kind") != kind.section) {
                continue;
            }
            Figure const figure = made(kind, section, document);
            if (figure.empty.empty()) {
                shown.push_back({{"name", kind.name},
                                 {"title", figure.title},
                                 {"note", figure.note},
                                 {"wide", svg_of(figure.draw({FigureSize::page, false}))},
                                 {"narrow", svg_of(figure.draw({FigureSize::column, false}))},
                                 {"columns", figure.table.columns},
                                 {"rows", figure.table.rows}});
            }
        }
    }
    return drawings;
}

Figure plotted(std::string title, std::string note, Plot plot, FigureTable table) {
    Figure figure;
    figure.title = title;
    figure.note = std::move(note);
    figure.draw = [plot = std::move(plot), title = std::move(title)](FigureForm form) {
        return drawn(plot, title, form);
    };
    figure.table = std::move(table);
    return figure;
}

Figure empty_figure(std::string title, std::string why) {
    Figure figure;
    figure.title = std::move(title);
    figure.empty = std::move(why);
    return figure;
}

Drawing stacked(std::vector<Drawing> const& drawings) {
    Drawing all = drawings.front();
    for (std::size_t i = 1; i < drawings.size(); ++i) {
        Drawing next = drawings[i];
        move_down(next, all.height);
        all.height += next.height;
        all.duration_s = std::max(all.duration_s, next.duration_s);
        all.description += " " + next.description;
        all.parts.insert(all.parts.end(), next.parts.begin(), next.parts.end());
    }
    return all;
}

std::string csv_of(FigureTable const& table) {
    std::string text;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
        text += (i == 0 ? "" : ",") + csv_field(table.columns[i]);
    }
    text += '\n';
    for (auto const& row : table.rows) {
        for (std::size_t i = 0; i < row.size(); ++i) {
            text += (i == 0 ? "" : ",") + field_of(row[i]);
        }
        text += '\n';
    }
    return text;
}

std::vector<std::string> gpu_group_names(Json const& section, std::size_t gpus, std::size_t block) {
    bool const numbered =
        section.contains("gpus") && !section["gpus"].empty() && section["gpus"].front().is_number();
    auto const number = [&](std::size_t gpu) {
        return numbered ? section["gpus"].at(gpu).dump() : std::to_string(gpu);
    };
    std::vector<std::string> names;
    for (std::size_t first = 0; first < gpus; first += block) {
        std::size_t const last = std::min(first + block, gpus) - 1;
        names.push_back(first == last ? "GPU " + number(first)
                                      : "GPUs " + number(first) + "-" + number(last));
    }
    return names;
}

GpuMatrix matrix_of(Json const& section, std::size_t groups_most) {
    Json const& given = section.at("matrix");
    auto const size = given.at("size").get<std::size_t>();
    std::size_t const factor = std::max<std::size_t>(1, (size + groups_most - 1) / groups_most);
    GpuMatrix matrix;
    matrix.block = given.at("block").get<std::size_t>() * factor;
    matrix.size = (size + factor - 1) / factor;
    matrix.amounts.assign(matrix.size * matrix.size, 0.0);
    for (std::size_t cell = 0; cell < size * size; ++cell) {
        matrix.amounts[cell / size / factor * matrix.size + cell % size / factor] +=
            number(given.at("keys"), cell);
    }
    auto const gpus = section.value("gpu_count", size);
    matrix.names = gpu_group_names(section, gpus, matrix.block);
    return matrix;
}

} // namespace keyswap::tools
