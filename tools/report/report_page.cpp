#include "tools/report/report_page.hpp"

#include "tools/report/figures/palette.hpp"
#include "tools/report/page_parts.hpp"
#include "tools/text/json.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/contracts.hpp"
#include "traces/format/xml_text.hpp"

#include <array>
#include <cstdlib>
#include <map>

namespace keyswap::tools {

namespace {

/// Rounds to seven digits: sufficient for drawing, at half the size.
void round_numbers(Json& value) {
    if (value.is_number_float()) {
        value = std::strtod(printed("%.7g", value.get<double>()).c_str(), nullptr);
    } else if (value.is_structured()) {
        for (auto& part : value) {
            round_numbers(part);
        }
    }
}

constexpr std::array section_fields{"kind",
                                    "title",
                                    "verdict",
                                    "answers",
                                    "expected",
                                    "configuration",
                                    "assumptions",
                                    "checks",
                                    "verdicts",
                                    "methods"};

/// Document as embedded in the page: only text and tables of each section, since figures contain
/// the other data.
Json page_data(Json const& document, Json figures) {
    Json page;
    for (auto const& [field, value] : document.items()) {
        if (field != "sections") {
            page[field] = value;
        }
    }
    Json& sections = page["sections"] = Json::array();
    for (Json const& section : document.at("sections")) {
        Json& shown = sections.emplace_back();
        for (char const* field : section_fields) {
            if (section.contains(field)) {
                shown[field] = section[field];
            }
        }
        if (section.contains("failure")) {
            shown["failure"] = section["failure"];
            shown["failure"].erase("columns");
        }
    }
    round_numbers(figures);
    page["figures"] = std::move(figures);
    return page;
}

} // namespace

std::string script_safe_json(Json const& document) {
    std::string safe;
    for (char const letter : document.dump(-1, ' ', false, Json::error_handler_t::replace)) {
        bool const is_markup = letter == '<' || letter == '>' || letter == '&';
        if (is_markup) {
            safe += formatted("\\u%04x", static_cast<unsigned>(letter));
        } else {
            safe += letter;
        }
    }
    return safe;
}

std::string report_page(Json const& document, Json figures, std::string_view svgs) {
    std::map<std::string_view, std::string> const made{
        {"title", xml_text(document.at("title").get<std::string>())},
        {"themes", theme_css()},
        {"svgs", std::string(svgs)},
        {"data", script_safe_json(page_data(document, std::move(figures)))}};
    std::string_view rest = page_part("template");
    std::string page;
    // Replaces @name@ in the template; replacements are not expanded again.
    while (true) {
        std::size_t const begin = rest.find('@');
        if (begin == std::string_view::npos) {
            return page += rest;
        }
        std::size_t const end = rest.find('@', begin + 1);
        KEYSWAP_EXPECTS(end != std::string_view::npos);
        std::string_view const name = rest.substr(begin + 1, end - begin - 1);
        auto const found = made.find(name);
        page += rest.substr(0, begin);
        page += found == made.end() ? page_part(name) : std::string_view(found->second);
        rest.remove_prefix(end + 1);
    }
}

} // namespace keyswap::tools
