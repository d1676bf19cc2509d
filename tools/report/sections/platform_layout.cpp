#include "tools/report/sections/platform_layout.hpp"

#include <algorithm>
#include <cmath>
#include <map>

namespace keyswap::tools {

namespace {

struct Listed {
    std::vector<PlacedNode> nodes;
    bool all_positioned = true;
};

Listed list_nodes(simulator::Platform const& platform) {
    Listed listed;
    auto const add = [&listed](PlacedNode node, simulator::Position const& position) {
        if (position) {
            node.x = (*position)[0];
            node.y = -(*position)[1]; // file coordinates have y upwards, as in Graphviz
        } else {
            listed.all_positioned = false;
        }
        listed.nodes.push_back(std::move(node));
    };
    for (auto const& cpu : platform.cpus) {
        add({cpu.name, NodeKind::cpu, "socket " + std::to_string(cpu.socket)}, cpu.position);
    }
    for (auto const& gpu : platform.gpus) {
        add({gpu.name, NodeKind::gpu, gpu.device}, gpu.position);
    }
    for (auto const& node : platform.switches) {
        add({node.name, NodeKind::forwarder, ""}, node.position);
    }
    return listed;
}

using Neighbours = std::map<std::string, std::vector<std::string>>;

Neighbours neighbours_of(simulator::Platform const& platform) {
    Neighbours neighbours;
    for (auto const& link : platform.links) {
        neighbours[link.from].push_back(link.to);
        neighbours[link.to].push_back(link.from);
    }
    return neighbours;
}

/// Places GPUs in rows of equal length, and CPUs spread over the width above.
void place_ends(std::vector<PlacedNode>& nodes) {
    auto const count = [&nodes](NodeKind kind) {
        return static_cast<double>(std::ranges::count(nodes, kind, &PlacedNode::kind));
    };
    constexpr double row_length_max = 144.0;
    double const gpus = count(NodeKind::gpu);
    double const rows = std::max(1.0, std::ceil(gpus / row_length_max));
    double const row_length = std::max(1.0, std::ceil(gpus / rows));
    double const width = std::max(row_length, count(NodeKind::cpu));
    double const cpu_step = width / std::max(1.0, count(NodeKind::cpu));
    double cpu_index = 0.0;
    double gpu_index = 0.0;
    for (PlacedNode& node : nodes) {
        if (node.kind == NodeKind::cpu) {
            node.x = (cpu_index + 0.5) * cpu_step;
            node.y = 0.0;
            cpu_index += 1.0;
        } else if (node.kind == NodeKind::gpu) {
            node.x = std::fmod(gpu_index, row_length) + 0.5;
            node.y = 3.0 + std::floor(gpu_index / row_length);
            gpu_index += 1.0;
        }
    }
}

/// Places forwarders above the centre of their neighbours; closer to the GPUs if no neighbour is a
/// CPU. Separates those at equal positions.
void place_forwarders(std::vector<PlacedNode>& nodes, Neighbours const& neighbours) {
    std::map<std::string, PlacedNode const*> by_name;
    for (PlacedNode const& node : nodes) {
        by_name[node.name] = &node;
    }
    double width = 1.0;
    for (PlacedNode const& node : nodes) {
        width = std::max(width, node.x + 0.5);
    }
    std::map<double, std::vector<PlacedNode*>> rows;
    for (PlacedNode& node : nodes) {
        if (node.kind != NodeKind::forwarder) {
            continue;
        }
        double sum = 0.0;
        double ends = 0.0;
        bool touches_cpu = false;
        auto const found = neighbours.find(node.name);
        if (found != neighbours.end()) {
            for (std::string const& name : found->second) {
                auto const neighbour = by_name.find(name);
                if (neighbour != by_name.end() && neighbour->second->kind != NodeKind::forwarder) {
                    sum += neighbour->second->x;
                    ends += 1.0;
                    touches_cpu = touches_cpu || neighbour->second->kind == NodeKind::cpu;
                }
            }
        }
        node.x = ends > 0.0 ? sum / ends : width / 2.0;
        node.y = ends == 0.0 ? 0.7 : touches_cpu ? 1.3 : 2.0;
        rows[node.y].push_back(&node);
    }
    for (auto& [height, row] : rows) {
        std::ranges::stable_sort(row, {}, [](PlacedNode const* node) { return node->x; });
        double const step = width / static_cast<double>(row.size());
        bool crowded = false;
        for (std::size_t i = 1; i < row.size(); ++i) {
            crowded = crowded || row[i]->x - row[i - 1]->x < 0.5;
        }
        for (std::size_t i = 0; crowded && i < row.size(); ++i) {
            row[i]->x = (static_cast<double>(i) + 0.5) * step;
        }
    }
}

} // namespace

std::vector<PlacedNode> layout_of(simulator::Platform const& platform) {
    Listed listed = list_nodes(platform);
    if (!listed.all_positioned) {
        place_ends(listed.nodes);
        place_forwarders(listed.nodes, neighbours_of(platform));
    }
    return std::move(listed.nodes);
}

} // namespace keyswap::tools
