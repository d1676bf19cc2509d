#include "tools/report/figures/palette.hpp"

#include "tools/report/report_page.hpp"
#include "tools/text/number_text.hpp"
#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace keyswap::tools {

namespace {

struct Colours {
    Palette palette;
    std::map<std::string, std::string, std::less<>> phases;
};

Colours const& colours() {
    static Colours const all = [] {
        auto const parts = page_parts();
        auto const found = std::ranges::find(parts, "palette", &PagePart::name);
        KEYSWAP_EXPECTS(found != parts.end());
        auto const json = nlohmann::json::parse(found->text);
        auto const& light = json.at("light");
        Colours made;
        made.palette = {light.at("ink"),
                        light.at("quiet"),
                        light.at("line"),
                        json.at("groups"),
                        light.at("scale"),
                        light.at("use")};
        made.phases = json.at("phases").get<decltype(made.phases)>();
        return made;
    }();
    return all;
}

std::array<double, 3> channels_of(std::string const& colour) {
    std::array<double, 3> channels{};
    for (std::size_t i = 0; i < channels.size(); ++i) {
        channels.at(i) = static_cast<double>(std::stoul(colour.substr(1 + 2 * i, 2), nullptr, 16));
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

} // namespace

Palette const& palette() {
    return colours().palette;
}

std::string const& group_colour(std::size_t index) {
    return palette().groups[index % palette().groups.size()];
}

std::string phase_colour(std::string_view phase) {
    std::string_view const name =
        phase.substr(0, std::min(phase.find(", pass"), phase.find(" pass")));
    auto const found = colours().phases.find(name);
    return found == colours().phases.end() ? palette().groups.back() : found->second;
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
    auto const& scale = palette().scale;
    double const place = std::clamp(share, 0.0, 1.0) * static_cast<double>(scale.size() - 1);
    auto const step = std::min(static_cast<std::size_t>(place), scale.size() - 2);
    return mixed(scale[step], scale[step + 1], place - static_cast<double>(step));
}

double contrast(std::string const& one, std::string const& other) {
    auto const [dark, bright] = std::minmax({luminance(one), luminance(other)});
    return (bright + 0.05) / (dark + 0.05);
}

std::string ink_on(std::string const& colour) {
    return contrast(colour, "#000000") >= contrast(colour, "#ffffff") ? "#000000" : "#ffffff";
}

} // namespace keyswap::tools
