#pragma once

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace keyswap::tools {

/// A part of the page that was built in: "template", "style", "echarts" ...
struct PagePart {
    std::string_view name;
    std::string_view text;
};

/// Written by the build from page/ and vendor/.
[[nodiscard]] std::vector<PagePart> page_parts();

/// The whole page with its data: one file that needs nothing else.
/// \param document title, findings, sections ... (DATA.md); "drawings" as page_drawings() gives
/// them
[[nodiscard]] std::string report_page(nlohmann::ordered_json const& document);

/// JSON that may stand inside a script element: nothing in it can end the element or begin a
/// comment, whatever names hold; bytes that are no UTF-8 are replaced.
[[nodiscard]] std::string script_safe_json(nlohmann::ordered_json const& document);

/// Text that may stand in HTML.
[[nodiscard]] std::string html_text(std::string_view text);

} // namespace keyswap::tools
