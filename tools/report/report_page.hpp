#pragma once

#include "tools/text/json.hpp"

#include <string>
#include <string_view>

namespace keyswap::tools {

/// The whole page with its data: one file that needs nothing else.
/// \param document title, findings, sections ... (DATA.md)
/// \param figures as page_figures() lists them
/// \param svgs their drawings
[[nodiscard]] std::string report_page(Json const& document, Json figures, std::string_view svgs);

/// JSON that may stand inside a script element: nothing in it can end the element or begin a
/// comment, whatever names hold; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string script_safe_json(Json const& document);

/// Text that may stand in HTML.
[[nodiscard]] std::string html_text(std::string_view text);

} // namespace keyswap::tools
