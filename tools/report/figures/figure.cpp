#include "tools/report/figures/figure.hpp"

#include "tools/text/csv_text.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace keyswap::tools {

namespace {

/// CSV field, escaped so that spreadsheets do not evaluate it as a formula.
std::string field_of(Json const& value) {
    if (value.is_number_float()) {
        double const number = value;
        constexpr double exact_most = 9e15; // integers exact in a double
        return number == std::floor(number) && std::abs(number) < exact_most
                   ? printed("%.0f", number)
                   : printed("%.12g", number);
    }
    if (!value.is_string()) {
        return value.is_null() ? "" : value.dump();
    }
    auto const text = value.get<std::string>();
    bool const formula = text.find_first_of("=+-@\t\r") == 0;
    return (formula ? "'" : "") + text;
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

/// A run with the copy times of a simulation of equal GPU count, if the document has one.
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
    return kind.name == "motion" ? kind.make(with_copy_times(section, document))
                                 : kind.make(section);
}

/// Removes the rows that are not drawn from a table too long for a page.
void shorten(FigureTable& table, std::vector<Drawing>& drawings) {
    constexpr std::size_t rows_most = 4000;
    if (table.rows.size() <= rows_most) {
        return;
    }
    std::map<std::size_t, std::size_t> places;
    auto const each_row = [&](auto const& visit) {
        for (Drawing& drawing : drawings) {
            for (auto& part : drawing.parts) {
                auto* const shape = std::get_if<Shape>(&part);
                if (shape != nullptr && shape->rows) {
                    visit(shape->rows->first);
                }
            }
        }
    };
    each_row([&](std::size_t row) { places[row] = 0; });
    FigureTable drawn{table.columns, {}};
    for (auto& [row, place] : places) {
        place = drawn.rows.size();
        drawn.rows.push_back(std::move(table.rows[row]));
    }
    each_row([&](std::size_t& row) { row = places.at(row); });
    table = std::move(drawn);
}

} // namespace

std::vector<FigureKind> const& figure_kinds() {
    static std::vector<FigureKind> const kinds{
        {"comparison", "comparison", comparison_figure},
        {"uncertainty", "validation", uncertainty_figure},
        {"accuracy", "validation", accuracy_figure},
        {"stacks", "validation", stacks_figure},
        {"errors", "validation", errors_figure},
        {"calibration", "validation", calibration_figure},
        {"rates-accuracy", "rates", rates_accuracy_figure},
        {"rates-searches", "rates", rates_searches_figure},
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
        {"motion", "run", animation_figure},
        {"timeline", "run", recorded_timeline_figure},
        {"failure", "foreign", failure_figure},
        {"counts", "operation", counts_figure},
        {"places", "operation", places_figure},
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

std::vector<Figure> figures_of(Json const& document) {
    std::vector<Figure> figures;
    std::map<std::string, int> used;
    for (Json const& section : document.at("sections")) {
        for (FigureKind const& kind : figure_kinds()) {
            if (section.at("kind") != kind.section) {
                continue;
            }
            Figure& figure = figures.emplace_back(made(kind, section, document));
            // Empty figures do not use up the numbers of drawable ones.
            int const number = figure.is_drawable() ? ++used[kind.name] : 1;
            figure.name = kind.name + (number == 1 ? "" : "-" + std::to_string(number));
            figure.section = section.at("title");
        }
    }
    return figures;
}

PageFigures page_figures(Json const& document) {
    PageFigures page{Json::array(), ""};
    std::size_t drawn = 0;
    for (std::size_t section = 0; section < document.at("sections").size(); ++section) {
        Json const& shown = document["sections"][section];
        Json& listed = page.listed.emplace_back(Json::array());
        for (FigureKind const& kind : figure_kinds()) {
            if (shown.at("kind") != kind.section) {
                continue;
            }
            Figure figure = made(kind, shown, document);
            std::string const id = "section" + std::to_string(section) + "-" + kind.name;
            std::vector<Drawing> drawings; // wide and narrow
            if (figure.is_drawable()) {
                drawings = {figure.draw({FigureSize::page, false}),
                            figure.draw({FigureSize::column, false})};
            }
            std::size_t const rows = figure.table.rows.size();
            shorten(figure.table, drawings);
            for (std::size_t i = 0; i < drawings.size(); ++i) {
                page.svgs += inline_svg(drawings[i], id + (i == 0 ? "-wide" : "-narrow"), drawn++);
            }
            listed.push_back({{"name", kind.name},
                              {"title", figure.title},
                              {"note", figure.note},
                              {"empty", figure.empty},
                              {"columns", figure.table.columns},
                              {"rows", std::move(figure.table.rows)},
                              {"rows_all", rows}});
        }
    }
    return page;
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
    CsvText csv(table.columns);
    for (auto const& row : table.rows) {
        std::vector<std::string> cells(row.size());
        std::ranges::transform(row, cells.begin(), field_of);
        csv.line(cells);
    }
    return csv.text();
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

void add_gpu_legend(Plot& plot, Json const& section, std::size_t gpus, std::string const& before) {
    auto const groups = gpu_group_names(section, gpus, gpus_per_group(gpus));
    for (std::size_t group = 0; group < groups.size(); ++group) {
        plot.legend.push_back({Mark::Kind::area, before + groups[group], look_of(group)});
    }
}

GpuMatrix matrix_of(Json const& section, std::size_t groups_max) {
    Json const& given = section.at("matrix");
    auto const size = given.at("size").get<std::size_t>();
    std::size_t const factor = std::max<std::size_t>(1, (size + groups_max - 1) / groups_max);
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
