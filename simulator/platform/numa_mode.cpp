#include "simulator/platform/numa_mode.hpp"

#include "traces/errors/try.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::simulator {

namespace {

constexpr std::array<std::pair<std::string_view, std::uint32_t>, 6> modes{
    {{"nps1", 1}, {"nps2", 2}, {"nps4", 4}, {"snc2", 2}, {"snc3", 3}, {"snc4", 4}}};

constexpr char const* fabric_kind = "fabric of a socket";

std::string fabric_of(std::string const& cpu) {
    return cpu + " fabric";
}

std::string node_of(std::string const& cpu, std::size_t number) {
    return cpu + "." + std::to_string(number);
}

bool is_cpu(Platform const& platform, std::string const& node) {
    return std::ranges::find(platform.cpus, node, &Cpu::name) != platform.cpus.end();
}

/// Replaces an efficiency of 1, assumed where memory never limited a socket, by `reached`.
void limit(double& efficiency, double reached, std::string const& constant, Origins& origins) {
    if (efficiency == 1.0) {
        efficiency = reached;
        origins[constant] = "assumed: as streaming benchmarks reach";
    }
}

/// NUMA node `number` of the `nodes` that replace `cpu`; takes that fraction of its memory.
Cpu numa_node_of(Cpu const& cpu, std::uint32_t number, std::uint32_t nodes) {
    Cpu node = cpu;
    node.name = node_of(cpu.name, number);
    node.memory_bytes /= nodes;
    node.memory_read_Bps /= nodes;
    node.memory_write_Bps /= nodes;
    if (node.memory_total_Bps) {
        *node.memory_total_Bps /= nodes;
    }
    limit(node.memory_read_efficiency, 0.85, "memory_read_efficiency", node.origins);
    limit(node.memory_write_efficiency, 0.7, "memory_write_efficiency", node.origins);
    node.position.reset();
    return node;
}

LinkKind kind_of_fabric(Platform const& platform) {
    LinkKind kind;
    kind.name = fabric_kind;
    for (Cpu const& cpu : platform.cpus) {
        kind.bandwidth_Bps =
            std::max({kind.bandwidth_Bps, cpu.memory_read_Bps, cpu.memory_write_Bps});
    }
    kind.latency = nanoseconds(50);
    kind.origins = {{"bandwidth", "assumed: as wide as all memory channels of a socket"},
                    {"latency", "assumed: 50 ns from a quarter of a socket to another one"}};
    return kind;
}

/// Moves links between sockets to the fabrics, and links of devices to the CPU's nodes in turn.
void spread_links(Platform& platform, std::uint32_t nodes) {
    std::map<std::string, std::vector<std::string*>> devices;
    for (Link& link : platform.links) {
        bool const begins_at_cpu = is_cpu(platform, link.from);
        bool const ends_at_cpu = is_cpu(platform, link.to);
        if (begins_at_cpu && ends_at_cpu) {
            link.from = fabric_of(link.from);
            link.to = fabric_of(link.to);
        } else if (begins_at_cpu || ends_at_cpu) {
            std::string& cpu = begins_at_cpu ? link.from : link.to;
            devices[cpu].push_back(&cpu);
        }
    }
    for (auto const& [cpu, ends] : devices) {
        for (std::size_t i = 0; i < ends.size(); ++i) {
            *ends[i] = node_of(cpu, i * nodes / ends.size());
        }
    }
}

} // namespace

PlatformInMode split_numa_mode(std::string_view text) {
    std::size_t const colon = text.rfind(':');
    if (colon != std::string_view::npos) {
        for (auto const& [mode, nodes] : modes) {
            if (text.substr(colon + 1) == mode) {
                return {text.substr(0, colon), mode, nodes};
            }
        }
    }
    return {text, {}, 1};
}

Expected<Platform> in_numa_mode(Platform platform, PlatformInMode const& wanted) {
    if (wanted.nodes == 1) {
        return platform;
    }
    std::string const name = platform.name + ":" + std::string(wanted.mode);
    std::set<std::pair<std::uint32_t, std::uint32_t>> sockets;
    for (Cpu const& cpu : platform.cpus) {
        if (!sockets.emplace(cpu.machine, cpu.socket).second) {
            return input_error(name,
                               "a socket of this platform has several NUMA nodes already",
                               "leave the mode out");
        }
    }
    for (GivenRoute const& route : platform.routes) {
        if (is_cpu(platform, route.from) || is_cpu(platform, route.to)) {
            return input_error(name,
                               "the file gives a route from '" + route.from + "' to '" + route.to +
                                   "', which the mode divides",
                               "describe the NUMA nodes in the file instead");
        }
    }
    platform.name = name;
    platform.description += ", " + std::to_string(wanted.nodes) + " NUMA nodes a socket";
    platform.link_kinds.push_back(kind_of_fabric(platform));
    spread_links(platform, wanted.nodes);
    std::vector<Cpu> numa_nodes;
    for (Cpu const& cpu : platform.cpus) {
        platform.switches.push_back(Switch{fabric_of(cpu.name), std::nullopt, std::nullopt});
        for (std::uint32_t number = 0; number < wanted.nodes; ++number) {
            std::string const& node =
                numa_nodes.emplace_back(numa_node_of(cpu, number, wanted.nodes)).name;
            platform.links.push_back(
                Link{"fabric " + node, fabric_kind, node, fabric_of(cpu.name)});
        }
    }
    platform.cpus = std::move(numa_nodes);
    return platform;
}

} // namespace keyswap::simulator
