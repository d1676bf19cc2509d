#pragma once

/// \file Figures requested on a command line.

#include "tools/report/report_request.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <set>
#include <string>

namespace keyswap::tools {

/// Checks names and extension, before any file is read.
[[nodiscard]] Expected<void> check_figures(ReportOptions const& options);

/// Returns an error if no section of these kinds has a requested figure.
[[nodiscard]] Expected<void> check_sections(ReportOptions const& options,
                                            std::set<std::string> const& sections);

/// Content of the output file.
/// \param document from report_document()
/// \return an error if the document lacks a figure, or the figure is empty
[[nodiscard]] Expected<std::string> figure_file(Json const& document, ReportOptions const& options);

/// HTML page with all figures of a document.
[[nodiscard]] std::string page_of(Json const& document);

/// One line for each nonempty figure: name and title, by section.
[[nodiscard]] std::string figure_list(Json const& document);

/// One line for each kind of section: names of its figures.
[[nodiscard]] std::string figure_kind_list();

} // namespace keyswap::tools
