#pragma once

#include "tools/text/json.hpp"

#include <string>
#include <string_view>

namespace keyswap::tools {

/// Complete HTML page with its data, as one self-contained file.
/// \param document title, findings, sections ... (DATA.md)
/// \param figures from page_figures()
/// \param svgs drawings of the figures
[[nodiscard]] std::string report_page(Json const& document, Json figures, std::string_view svgs);

/// JSON escaped for a script element: cannot close the element or open a comment. Invalid UTF-8 is
/// replaced.
[[nodiscard]] std::string script_safe_json(Json const& document);

} // namespace keyswap::tools
