#pragma once

/// \file Figures as a command is asked for them.

#include "tools/report/figures/plot.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <optional>
#include <set>
#include <string>
#include <vector>

namespace keyswap::tools {

/// As written on the command line.
struct FigureRequest {
    std::vector<std::string> names; ///< --figure; below each other in one file
    std::optional<std::string> out; ///< its ending says what is written: .svg, .pdf, .csv
    std::string size = "page";      ///< or "column"
};

/// What can be refused before anything is read: a name or an ending that no figure has.
[[nodiscard]] Expected<void> check_figures(FigureRequest const& request);

/// Refuses figures that no section of these kinds has.
[[nodiscard]] Expected<void> check_sections(FigureRequest const& request,
                                            std::set<std::string> const& sections);

/// The bytes of the file.
/// \param document as report_document() makes it
/// \return an error where the document lacks a figure, or has nothing to draw in it
[[nodiscard]] Expected<std::string> figure_file(Json const& document, FigureRequest const& request);

/// The page with all figures of a document.
[[nodiscard]] std::string page_of(Json const& document);

/// A line for each figure that can be drawn, name and title, by section.
[[nodiscard]] std::string figure_list(Json const& document);

/// A line for each kind of section: the names of its figures.
[[nodiscard]] std::string figure_kind_list();

} // namespace keyswap::tools
