#pragma once

/// \file Figures: contents of a report's sections, each as a separate file for a paper or a talk.

#include "tools/report/figures/plot.hpp"
#include "tools/text/json.hpp"

#include <functional>
#include <string>
#include <vector>

namespace keyswap::tools {

/// Number in a section's JSON.
template <class Key>
double number(Json const& json, Key const& key) {
    return json.at(key).template get<double>();
}

/// Data of a figure.
struct FigureTable {
    std::vector<std::string> columns; ///< headers with units
    std::vector<std::vector<Json>> rows;
};

struct Figure {
    std::string name;    ///< "matrix"; "matrix-2" for the second section with one
    std::string section; ///< title of its section
    std::string title;
    std::string note; ///< how to read the figure
    std::function<Drawing(FigureForm)> draw;
    FigureTable table;
    std::string empty; ///< why there is nothing to draw; "" if there is

    [[nodiscard]] bool is_drawable() const { return empty.empty(); }
};

/// Kind of figure, for one kind of section.
struct FigureKind {
    std::string name;    ///< value of --figure
    std::string section; ///< kind of section (DATA.md)
    Figure (*make)(Json const& section);
};

/// All kinds, in page order.
[[nodiscard]] std::vector<FigureKind> const& figure_kinds();

/// All figures of a document, including empty ones.
/// \param document from report_document()
[[nodiscard]] std::vector<Figure> figures_of(Json const& document);

/// Figures of a page.
struct PageFigures {
    /// By section: name, title, note, reason if empty, columns, rows (of a long table, only the
    /// drawn ones) and the total number of rows.
    Json listed;
    std::string svgs; ///< elements; two per figure, wide and narrow
};

[[nodiscard]] PageFigures page_figures(Json const& document);

/// Figure that draws a plot.
[[nodiscard]] Figure plotted(std::string title, std::string note, Plot plot, FigureTable table);
[[nodiscard]] Figure empty_figure(std::string title, std::string why);

/// Stacks drawings of equal width vertically.
[[nodiscard]] Drawing stacked(std::vector<Drawing> const& drawings);

/// \return RFC 4180; cells that look like formulas get a leading quote
[[nodiscard]] std::string csv_of(FigureTable const& table);

/// Larger numbers of GPUs are drawn in groups of equal size.
inline constexpr std::size_t gpus_drawn_max = 16;

/// Matrix of keys or bytes between groups of GPUs.
struct GpuMatrix {
    std::size_t size = 0;        ///< number of groups
    std::size_t block = 1;       ///< GPUs per group
    std::vector<double> amounts; ///< [size * size]; rows send
    std::vector<std::string> names;

    [[nodiscard]] double at(std::size_t source, std::size_t destination) const {
        return amounts[source * size + destination];
    }
};
[[nodiscard]] GpuMatrix matrix_of(Json const& section, std::size_t groups_max);

/// "GPU 3", or "GPUs 8-15". \param section of a profile or simulation, whose "gpus" are numbers
[[nodiscard]] std::vector<std::string>
gpu_group_names(Json const& section, std::size_t gpus, std::size_t block);

/// GPUs per group if at most gpus_drawn_max groups are drawn.
[[nodiscard]] inline std::size_t gpus_per_group(std::size_t gpus) {
    return std::max<std::size_t>(1, (gpus + gpus_drawn_max - 1) / gpus_drawn_max);
}
/// Legend of the colours of GPUs, or of groups of them. \param before precedes each name
void add_gpu_legend(Plot& plot, Json const& section, std::size_t gpus, std::string const& before);
/// Copies of the key swap: indices of source and destination in "gpus", begin and end in
/// ms.
[[nodiscard]] Json copies_json(Json const& simulation_or_profile);

// Constructors, by section.
[[nodiscard]] Figure buckets_figure(Json const& run);
[[nodiscard]] Figure balance_figure(Json const& run);
[[nodiscard]] Figure swap_figure(Json const& run);
[[nodiscard]] Figure matrix_figure(Json const& run_or_profile);
[[nodiscard]] Figure recorded_timeline_figure(Json const& run);
[[nodiscard]] Figure animation_figure(Json const& run);
[[nodiscard]] Figure phases_figure(Json const& simulation);
[[nodiscard]] Figure bottlenecks_figure(Json const& simulation);
[[nodiscard]] Figure topology_figure(Json const& simulation);
[[nodiscard]] Figure rates_figure(Json const& simulation);
[[nodiscard]] Figure swap_order_figure(Json const& simulation_or_profile);
[[nodiscard]] Figure timeline_figure(Json const& simulation_or_profile);
[[nodiscard]] Figure busy_figure(Json const& profile);
[[nodiscard]] Figure names_figure(Json const& profile);
[[nodiscard]] Figure comparison_figure(Json const& comparison);
[[nodiscard]] Figure uncertainty_figure(Json const& validation);
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
