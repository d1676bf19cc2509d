#include "tools/report/figures/palette.hpp"

#include "tools/report/page_parts.hpp"
#include "tools/text/number_text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace keyswap::tools {

namespace {

/// Number of named steps of the colour scale.
constexpr int shades = 20;

using Theme = std::map<std::string, std::string, std::less<>>;

struct Colours {
    Palette palette;
    std::map<std::string, Look, std::less<>> phases;
    Theme light;
    Theme dark;
};

Theme theme_of(nlohmann::json const& given);

Colours const& colours() {
    static Colours const all = [] {
        auto const json = nlohmann::json::parse(page_part("palette"));
        Colours made;
        made.palette.groups = json.at("groups");
        for (auto const& [phase, look] : json.at("phases").items()) {
            made.phases[phase] = {look.at(0), look.at(1)};
        }
        made.light = theme_of(json.at("light"));
        made.dark = theme_of(json.at("dark"));
        return made;
    }();
    return all;
}

std::array<double, 3> channels_of(std::string const& colour) {
    std::array<double, 3> channels{};
    std::string const hex = hex_of(colour);
    for (std::size_t i = 0; i < channels.size(); ++i) {
        channels.at(i) = static_cast<double>(std::stoul(hex.substr(1 + 2 * i, 2), nullptr, 16));
    }
    return channels;
}

double luminance(std::string const& colour) {
    std::array<double, 3> channels = channels_of(colour);
    for (double& channel : channels) {
        double const share = channel / 255.0;
        channel = share <= 0.04045 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
    }
    return 0.2126 * channels[0] + 0.7152 * channels[1] + 0.0722 * channels[2];
}

std::string readable_on(std::string const& hex) {
    return contrast(hex, "#000000") >= contrast(hex, "#ffffff") ? "#000000" : "#ffffff";
}

/// Adds the steps of the colour scale and a legible text colour for each.
Theme theme_of(nlohmann::json const& given) {
    Theme theme;
    for (auto const& [name, value] : given.items()) {
        if (value.is_string()) {
            theme[name] = value;
        }
    }
    for (std::size_t step = 0; step < given.at("use").size(); ++step) {
        theme["use" + std::to_string(step)] = given["use"][step];
    }
    std::vector<std::string> const scale = given.at("scale");
    for (int step = 0; step <= shades; ++step) {
        double const place =
            static_cast<double>(step) / shades * static_cast<double>(scale.size() - 1);
        auto const first = std::min(static_cast<std::size_t>(place), scale.size() - 2);
        std::string const hex =
            mixed(scale[first], scale[first + 1], place - static_cast<double>(first));
        theme["s" + std::to_string(step)] = hex;
        theme["on" + std::to_string(step)] = readable_on(hex);
    }
    return theme;
}

std::string variables(Theme const& theme) {
    std::string text;
    for (auto const& [name, hex] : theme) {
        text += "--" + name + ":" + hex + ";";
    }
    return text;
}

} // namespace

Palette const& palette() {
    return colours().palette;
}

Look look_of(std::size_t index) {
    auto const& groups = palette().groups;
    // The pattern also shifts after each round of colours, so all looks differ.
    return {groups[index % groups.size()], (index + index / groups.size()) % 4};
}

std::optional<Look> find_phase_look(std::string_view phase) {
    std::string_view const name =
        phase.substr(0, std::min(phase.find(", pass"), phase.find(" pass")));
    auto const found = colours().phases.find(name);
    return found == colours().phases.end() ? std::nullopt : std::optional(found->second);
}

Look phase_look(std::string_view phase) {
    return find_phase_look(phase).value_or(Look{palette().groups.back(), 0});
}

std::string mixed(std::string const& from, std::string const& to, double share) {
    auto const [one, other] = std::pair{channels_of(from), channels_of(to)};
    std::string colour = "#";
    for (std::size_t i = 0; i < one.size(); ++i) {
        colour += formatted(
            "%02x", static_cast<unsigned>(std::lround(std::lerp(one.at(i), other.at(i), share))));
    }
    return colour;
}

std::string shade(double share) {
    return "s" + std::to_string(std::lround(std::clamp(share, 0.0, 1.0) * shades));
}

std::string hex_of(std::string const& colour) {
    return colour.starts_with('#') ? colour : colours().light.at(colour);
}

std::string theme_css() {
    std::string const light = "color-scheme:light;" + variables(colours().light);
    std::string const dark = "color-scheme:dark;" + variables(colours().dark);
    return ":root{" + light + "}\n@media (prefers-color-scheme:dark){:root{" + dark + "}}\n" +
           ":root[data-theme=light]{" + light + "}\n:root[data-theme=dark]{" + dark +
           "}\n@media print{:root:root{" + light + "}}\n";
}

double contrast(std::string const& one, std::string const& other) {
    auto const [dark, bright] = std::minmax({luminance(one), luminance(other)});
    return (bright + 0.05) / (dark + 0.05);
}

std::string ink_on(std::string const& colour) {
    bool const step = colour.starts_with('s');
    return step ? "on" + colour.substr(1) : readable_on(colour);
}

} // namespace keyswap::tools
