#include "tools/report/report_page.hpp"

#include "tools/text/number_text.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <cstdlib>

namespace keyswap::tools {

namespace {

std::string_view part(std::vector<PagePart> const& parts, std::string_view name) {
    auto const found = std::ranges::find(parts, name, &PagePart::name);
    KEYSWAP_EXPECTS(found != parts.end());
    return found->text;
}

constexpr std::size_t nodes_drawn_most = 400; ///< a drawing of more is lines across lines

/// Seven digits are enough for a picture, and half of the room.
void round_numbers(nlohmann::ordered_json& value) {
    if (value.is_number_float()) {
        value = std::strtod(printed("%.7g", value.get<double>()).c_str(), nullptr);
    } else if (value.is_structured()) {
        for (auto& part : value) {
            round_numbers(part);
        }
    }
}

/// A list of objects with equal fields, the names of the fields once.
nlohmann::ordered_json packed(nlohmann::ordered_json const& objects) {
    nlohmann::ordered_json columns = nlohmann::ordered_json::array();
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (auto const& object : objects) {
        auto& row = rows.emplace_back(nlohmann::ordered_json::array());
        for (auto const& [name, value] : object.items()) {
            row.push_back(value);
            if (rows.size() == 1) {
                columns.push_back(name);
            }
        }
    }
    return {{"columns", columns}, {"rows", rows}};
}

/// The document as the page carries it: links of a machine too large to draw stand in "channels".
nlohmann::ordered_json page_data(nlohmann::ordered_json document) {
    for (auto& section : document.at("sections")) {
        if (section.contains("channels")) {
            section["channels"] = packed(section["channels"]);
            auto& topology = section["topology"];
            if (topology["nodes"].size() > nodes_drawn_most) {
                topology = {{"nodes", nlohmann::ordered_json::array()},
                            {"links", nlohmann::ordered_json::array()},
                            {"left_out", {topology["nodes"].size(), topology["links"].size()}}};
            }
        }
    }
    round_numbers(document.at("sections"));
    return document;
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
    std::string const data = script_safe_json(page_data(document));
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
