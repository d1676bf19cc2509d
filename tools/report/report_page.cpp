#include "tools/report/report_page.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>

namespace keyswap::tools {

namespace {

std::string_view part(std::vector<PagePart> const& parts, std::string_view name) {
    auto const found = std::ranges::find(parts, name, &PagePart::name);
    KEYSWAP_EXPECTS(found != parts.end());
    return found->text;
}

} // namespace

std::string script_safe_json(nlohmann::ordered_json const& document) {
    std::string const text =
        document.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
    std::string safe;
    safe.reserve(text.size() + text.size() / 64);
    for (char const letter : text) {
        switch (letter) {
        case '<':
            safe += "\\u003c";
            break;
        case '>':
            safe += "\\u003e";
            break;
        case '&':
            safe += "\\u0026";
            break;
        default:
            safe += letter;
        }
    }
    return safe;
}

std::string html_text(std::string_view text) {
    std::string safe;
    for (char const letter : text) {
        switch (letter) {
        case '<':
            safe += "&lt;";
            break;
        case '>':
            safe += "&gt;";
            break;
        case '&':
            safe += "&amp;";
            break;
        case '"':
            safe += "&quot;";
            break;
        default:
            safe += letter;
        }
    }
    return safe;
}

std::string report_page(nlohmann::ordered_json const& document) {
    std::vector<PagePart> const parts = page_parts();
    std::string const title = html_text(document.at("title").get<std::string>());
    std::string const data = script_safe_json(document);
    std::string_view rest = part(parts, "template");
    std::string page;
    page.reserve(data.size() + part(parts, "echarts").size() + 100'000);
    // Marks stand in the template as @name@; what replaces them is not looked at again.
    while (true) {
        std::size_t const begin = rest.find('@');
        if (begin == std::string_view::npos) {
            return page += rest;
        }
        std::size_t const end = rest.find('@', begin + 1);
        KEYSWAP_EXPECTS(end != std::string_view::npos);
        std::string_view const name = rest.substr(begin + 1, end - begin - 1);
        page += rest.substr(0, begin);
        page += name == "title" ? title : name == "data" ? data : part(parts, name);
        rest.remove_prefix(end + 1);
    }
}

} // namespace keyswap::tools
