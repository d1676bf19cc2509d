#include "simulator/platform/topology_draw.hpp"

#include "traces/errors/parsed_number.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <set>
#include <sstream>

namespace keyswap::simulator {
namespace {

constexpr double bytes_per_GB = 1e9;

std::string dot_text(std::string_view text) {
    std::string result = "\"";
    for (char const c : text) {
        result += c == '"' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return result + "\"";
}

std::string short_number(double value) {
    std::array<char, 32> buffer{};
    auto const length = std::snprintf(buffer.data(), buffer.size(), "%.4g", value);
    return std::string(buffer.data(), static_cast<std::size_t>(length));
}

std::string position_of(Position const& position) {
    if (!position) {
        return "";
    }
    return ", pos=\"" + short_number((*position)[0]) + "," + short_number((*position)[1]) + "!\"";
}

/// HSV colour from green (unused) to red (full).
std::string colour_of(double part) {
    double const hue = 0.33 * (1.0 - std::clamp(part, 0.0, 1.0));
    return "\"" + short_number(hue) + " 0.9 0.8\"";
}

double capacity_of(LinkKind const& kind) {
    double const forward = static_cast<double>(kind.bandwidth_Bps) * kind.efficiency;
    double const backward =
        static_cast<double>(kind.bandwidth_back_Bps.value_or(kind.bandwidth_Bps)) *
        kind.efficiency_back.value_or(kind.efficiency);
    return std::max(forward, backward);
}

/// Line width, 1 to 8 points; square root, so that 10 and 900 GB/s fit into one picture.
double width_of(double capacity_Bps) {
    return std::clamp(0.25 * std::sqrt(capacity_Bps / bytes_per_GB), 1.0, 8.0);
}

} // namespace

std::string draw_topology(Platform const& platform, LinkUseTable const& use) {
    std::ostringstream out;
    out << "graph " << dot_text(platform.name) << " {\n"
        << "  graph [rankdir=TB, splines=true, fontname=\"sans-serif\", label="
        << dot_text(platform.description) << "];\n"
        << "  node [fontname=\"sans-serif\", shape=box, style=filled];\n"
        << "  edge [fontname=\"sans-serif\", fontsize=9];\n";
    // Sockets share one rank, GPUs another; Graphviz places the switches.
    out << "  { rank=same;\n";
    for (Cpu const& cpu : platform.cpus) {
        out << "    " << dot_text(cpu.name) << " [fillcolor=\"#cfe2f3\", label="
            << dot_text(cpu.name + "\nsocket " + std::to_string(cpu.socket)) << ", group=\"socket"
            << cpu.socket << "\"" << position_of(cpu.position) << "];\n";
    }
    out << "  }\n  { rank=same;\n";
    for (Gpu const& gpu : platform.gpus) {
        out << "    " << dot_text(gpu.name)
            << " [fillcolor=\"#d9ead3\", label=" << dot_text(gpu.name + "\n" + gpu.device)
            << position_of(gpu.position) << "];\n";
    }
    out << "  }\n";
    for (Switch const& node : platform.switches) {
        out << "  " << dot_text(node.name)
            << " [fillcolor=\"#eeeeee\", shape=" << (node.rail ? "component" : "ellipse")
            << position_of(node.position) << "];\n";
    }
    for (Link const& link : platform.links) {
        double const capacity = capacity_of(kind_of(platform, link));
        std::string label = short_number(capacity / bytes_per_GB) + " GB/s";
        std::string colour = "\"#666666\"";
        if (auto const used = use.find(link.name); used != use.end()) {
            label.insert(0, short_number(used->second / bytes_per_GB) + " / ");
            colour = colour_of(used->second / capacity);
        }
        out << "  " << dot_text(link.from) << " -- " << dot_text(link.to)
            << " [label=" << dot_text(label) << ", penwidth=" << short_number(width_of(capacity))
            << ", color=" << colour << ", tooltip=" << dot_text(link.name) << "];\n";
    }
    out << "}\n";
    return out.str();
}

Expected<LinkUseTable>
parse_link_use(std::string_view text, std::string_view file, Platform const& platform) {
    std::set<std::string_view> known;
    for (Link const& link : platform.links) {
        known.insert(link.name);
    }
    LinkUseTable table;
    std::istringstream lines{std::string(text)};
    std::string line;
    for (int number = 1; std::getline(lines, line); ++number) {
        std::size_t const comma = line.rfind(',');
        if (line.empty() || (number == 1 && line.starts_with("link,"))) {
            continue;
        }
        InputError error{std::string(file) + ":" + std::to_string(number),
                         "\"" + line + "\" is not a link with a rate",
                         "write link,GB/s as in xbus,38.4"};
        if (comma == std::string::npos) {
            return tl::unexpected(error);
        }
        auto const rate = parsed_number<double>(std::string_view(line).substr(comma + 1));
        if (!rate || !(*rate >= 0.0)) {
            return tl::unexpected(error);
        }
        std::string const name = line.substr(0, comma);
        if (!known.contains(name)) {
            error.problem = "unknown link \"" + name + "\"";
            error.remedy = "see 'keyswap topology show' for the platform's links";
            return tl::unexpected(error);
        }
        table[name] = *rate * bytes_per_GB;
    }
    return table;
}

} // namespace keyswap::simulator
