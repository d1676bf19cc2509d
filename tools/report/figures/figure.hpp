#pragma once

/// \file Figures: what a report's sections show, each by itself, as a file for a paper or a talk.

#include "tools/report/figures/plot.hpp"
#include "tools/text/json.hpp"

#include <functional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// A number of a section.
template <class Key>
double number(Json const& json, Key const& key) {
    return json.at(key).template get<double>();
}

/// The numbers behind a figure.
struct FigureTable {
    std::vector<std::string> columns; ///< with units
    std::vector<std::vector<Json>> rows;
};

struct Figure {
    std::string title;
    std::string note; ///< how to read it
    std::function<Drawing(FigureForm)> draw;
    FigureTable table;
    std::string empty; ///< why there is nothing to draw; "" if there is
};

/// A kind of figure, and the sections that have it.
struct FigureKind {
    std::string name;    ///< as --figure names it
    std::string section; ///< kind of section (DATA.md)
    Figure (*make)(Json const& section);
};

/// All kinds, in the order of the page.
[[nodiscard]] std::vector<FigureKind> const& figure_kinds();

/// A figure of a document.
struct NamedFigure {
    std::string name;    ///< "matrix"; of the second section that has one "matrix-2"
    std::string section; ///< its title
    Figure figure;
};

/// All figures of a document, also those that are empty.
/// \param document as report_document() makes it
[[nodiscard]] std::vector<NamedFigure> figures_of(Json const& document);

/// The figures of a page.
struct PageFigures {
    /// By section: name, title, note, why it is empty, columns, rows (all, or of a long table those
    /// that are drawn), and how many rows there are.
    Json listed;
    std::string svgs; ///< elements, a wide and a narrow one of each figure
};

[[nodiscard]] PageFigures page_figures(Json const& document);

/// A figure of a plot.
[[nodiscard]] Figure plotted(std::string title, std::string note, Plot plot, FigureTable table);
[[nodiscard]] Figure empty_figure(std::string title, std::string why);

/// Drawings below each other, of equal width.
[[nodiscard]] Drawing stacked(std::vector<Drawing> const& drawings);

/// \return RFC 4180; what begins like a formula gets a leading quote
[[nodiscard]] std::string csv_of(FigureTable const& table);

/// More GPUs than this are shown in groups of equal size.
inline constexpr std::size_t gpus_drawn_most = 16;

/// A matrix of keys or bytes between GPUs, in at most so many groups.
struct GpuMatrix {
    std::size_t size = 0;        ///< groups
    std::size_t block = 1;       ///< GPUs in each
    std::vector<double> amounts; ///< [size * size]; rows send
    std::vector<std::string> names;

    [[nodiscard]] double at(std::size_t source, std::size_t destination) const {
        return amounts[source * size + destination];
    }
};
[[nodiscard]] GpuMatrix matrix_of(Json const& section, std::size_t groups_most);

/// "GPU 3", or "GPUs 8-15". \param section "gpus" of a profile or a simulation are numbers
[[nodiscard]] std::vector<std::string>
gpu_group_names(Json const& section, std::size_t gpus, std::size_t block);

/// Copies of the key swap: place of the source and of the destination in "gpus", begin and end
/// (ms).
[[nodiscard]] Json copies_json(Json const& simulation_or_profile);

// Makers, by section.
[[nodiscard]] Figure buckets_figure(Json const& run);
[[nodiscard]] Figure balance_figure(Json const& run);
[[nodiscard]] Figure swap_figure(Json const& run);
[[nodiscard]] Figure matrix_figure(Json const& run_or_profile);
[[nodiscard]] Figure recorded_timeline_figure(Json const& run);
[[nodiscard]] Figure motion_figure(Json const& run);
[[nodiscard]] Figure phases_figure(Json const& simulation);
[[nodiscard]] Figure bottlenecks_figure(Json const& simulation);
[[nodiscard]] Figure topology_figure(Json const& simulation);
[[nodiscard]] Figure rates_figure(Json const& simulation);
[[nodiscard]] Figure swap_order_figure(Json const& simulation_or_profile);
[[nodiscard]] Figure timeline_figure(Json const& simulation_or_profile);
[[nodiscard]] Figure busy_figure(Json const& profile);
[[nodiscard]] Figure names_figure(Json const& profile);
[[nodiscard]] Figure comparison_figure(Json const& comparison);
[[nodiscard]] Figure doubt_figure(Json const& validation);
[[nodiscard]] Figure accuracy_figure(Json const& validation);
[[nodiscard]] Figure stacks_figure(Json const& validation);
[[nodiscard]] Figure errors_figure(Json const& validation);
[[nodiscard]] Figure calibration_figure(Json const& validation);
[[nodiscard]] Figure rates_accuracy_figure(Json const& rates);
[[nodiscard]] Figure rates_searches_figure(Json const& rates);
[[nodiscard]] Figure rates_errors_figure(Json const& rates);
[[nodiscard]] Figure ranking_figure(Json const& sweep);
[[nodiscard]] Figure lines_figure(Json const& sweep);
[[nodiscard]] Figure heat_figure(Json const& sweep);
[[nodiscard]] Figure counts_figure(Json const& operation);
[[nodiscard]] Figure places_figure(Json const& operation);
[[nodiscard]] Figure rounds_figure(Json const& operation);
[[nodiscard]] Figure waiting_figure(Json const& operation);
[[nodiscard]] Figure failure_figure(Json const& foreign);

} // namespace keyswap::tools
