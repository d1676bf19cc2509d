#include "simulator/platform/platform_cluster.hpp"

#include "simulator/platform/gpu_sheet.hpp"
#include "simulator/platform/platform_text.hpp"
#include "simulator/platform/topology.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t node_count_max = 128;

/// ConnectX-7 on NDR InfiniBand: 400 Gb/s in each direction.
constexpr std::uint64_t adapter_Bps = 50'000'000'000;
constexpr SimTime hop_latency = nanoseconds(650);

LinkKind network_kind(std::string name, std::uint64_t bandwidth_Bps, std::string origin) {
    LinkKind kind;
    kind.name = std::move(name);
    kind.bandwidth_Bps = bandwidth_Bps;
    kind.latency = hop_latency;
    kind.origins = {{"bandwidth", std::move(origin)},
                    {"latency", "assumed: 0.65 us for a cable and a switch, as NDR vendors quote"}};
    return kind;
}

/// Link kind for an adapter's rail: "rail 25 GB/s" if its speed is known, else "rail".
std::string rail_kind(Platform& cluster, Switch const& adapter) {
    if (!adapter.rail_Bps) {
        return "rail";
    }
    std::string const name = "rail " + format_bandwidth(*adapter.rail_Bps);
    bool const known = std::ranges::any_of(cluster.link_kinds,
                                           [&](LinkKind const& kind) { return kind.name == name; });
    if (!known) {
        cluster.link_kinds.push_back(network_kind(
            name, *adapter.rail_Bps, "measured: the adapter's speed, as the platform file says"));
    }
    return name;
}

/// Counts of what has been joined to the cluster so far.
struct Joined {
    std::uint32_t nodes = 0;
    std::uint32_t sockets = 0;
    std::uint32_t machines = 0;
};

void append_node(Platform& cluster, Platform const& node, Joined& joined) {
    std::string const prefix = "n" + std::to_string(joined.nodes) + ".";
    Joined const before = joined;
    joined.nodes += 1;
    for (Cpu cpu : node.cpus) {
        cpu.name = prefix + cpu.name;
        cpu.socket += before.sockets;
        cpu.machine += before.machines;
        joined.sockets = std::max(joined.sockets, cpu.socket + 1);
        joined.machines = std::max(joined.machines, cpu.machine + 1);
        cpu.position.reset();
        cluster.cpus.push_back(std::move(cpu));
    }
    for (Gpu gpu : node.gpus) {
        gpu.name = prefix + gpu.name;
        gpu.position.reset();
        cluster.gpus.push_back(std::move(gpu));
    }
    for (Link link : node.links) {
        link.name = prefix + link.name;
        link.from = prefix + link.from;
        link.to = prefix + link.to;
        cluster.links.push_back(std::move(link));
    }
    for (Switch const& inner : node.switches) {
        cluster.switches.push_back(Switch{prefix + inner.name, std::nullopt, std::nullopt});
        if (inner.rail) {
            std::string const kind = rail_kind(cluster, inner);
            std::string const leaf = "leaf" + std::to_string(*inner.rail);
            std::string const inner_name = prefix + inner.name;
            cluster.links.push_back(Link{inner_name + "-" + leaf, kind, inner_name, leaf});
        }
    }
    for (GivenRoute route : node.routes) {
        route.from = prefix + route.from;
        route.to = prefix + route.to;
        for (std::string& link : route.links) {
            link.insert(0, prefix);
        }
        cluster.routes.push_back(std::move(route));
    }
}

std::uint32_t rails_of(Platform const& node) {
    std::uint32_t rails = 0;
    for (Switch const& inner : node.switches) {
        rails = std::max(rails, inner.rail.value_or(0) + (inner.rail ? 1 : 0));
    }
    return rails;
}

constexpr std::uint64_t slot_Bps = 64'000'000'000; // PCIe 5.0 x16

/// Shortest route from a CPU to a GPU; starts with a link of the CPU, ends with one of the GPU.
struct HostWay {
    std::size_t cpu = 0;
    std::vector<std::uint32_t> links; ///< indices into links; empty if no CPU reaches the GPU
};

HostWay host_way_of(Platform const& node, Topology const& topology, std::uint32_t gpu) {
    HostWay shortest;
    for (std::uint32_t cpu = 0; cpu < node.cpus.size(); ++cpu) {
        auto const route = topology.route(host_memory(cpu), gpu_memory(gpu));
        bool const is_reached = route && !route->links.empty();
        if (is_reached && (shortest.links.empty() || route->links.size() < shortest.links.size())) {
            shortest = {cpu, route->links};
        }
    }
    return shortest;
}

/// PCIe x16 bandwidth of the GPU's generation, for GPUs connected to their CPU by NVLink.
std::uint64_t slot_of_sheet_Bps(Platform const& node, std::uint32_t gpu) {
    auto const sheet = find_gpu_sheet(node.gpus[gpu].device);
    return std::min(slot_Bps, sheet ? pcie_x16_Bps(sheet->pcie_generation) : slot_Bps);
}

/// Inserts a switch into a link between a GPU and its CPU, so that an adapter can share the link:
/// traffic from the GPU to the adapter bypasses the CPU and other GPUs' adapters. Below the switch
/// both directions have full rates, as below other switches.
/// \param below the end of the link on the lower side \return the switch's name
std::string
split_by_switch(Platform& node, std::size_t link, std::string const& below, std::uint32_t gpu) {
    std::string const name = "slot" + std::to_string(gpu);
    node.switches.push_back(Switch{name, std::nullopt, std::nullopt});
    Link& own = node.links[link];
    std::string& parent = own.from == below ? own.to : own.from;
    bool const is_pcie = below == node.gpus[gpu].name;
    Link upper{(is_pcie ? "pcie " : "host link ") + name, own.kind, parent, name};
    parent = name;
    LinkKind lower = kind_of(node, own);
    lower.name += " below a slot";
    lower.bandwidth_total_Bps.reset();
    lower.efficiency_total = 1.0;
    lower.origins.erase("bandwidth_total");
    lower.origins.erase("efficiency_total");
    own.kind = lower.name;
    if (std::ranges::find(node.link_kinds, lower.name, &LinkKind::name) == node.link_kinds.end()) {
        node.link_kinds.push_back(std::move(lower));
    }
    node.links.push_back(std::move(upper));
    return name;
}

/// Returns the node that a GPU's own adapter attaches to; may insert a switch for it.
std::string adapter_parent(Platform& node, HostWay const& way, bool is_pcie, std::uint32_t gpu) {
    std::string const& cpu = node.cpus[way.cpu].name;
    if (way.links.empty()) {
        return cpu;
    }
    if (is_pcie) {
        return split_by_switch(node, way.links.back(), node.gpus[gpu].name, gpu);
    }
    Link const& first = node.links[way.links.front()];
    return split_by_switch(node, way.links.front(), first.from == cpu ? first.to : first.from, gpu);
}

/// Adds adapters to a node whose file lists none: one per GPU, at the speed of its PCIe slot. PCIe
/// 3.0 servers whose GPUs reach the CPU by NVLink get one for each CPU instead.
Expected<Platform> with_adapters(Platform node) {
    if (rails_of(node) > 0) {
        return node;
    }
    if (node.gpus.empty()) {
        return input_error(
            node.name, "has no GPUs to join by network adapters", "name a platform with GPUs");
    }
    KEYSWAP_TRY(auto const topology, Topology::of(node));
    constexpr char const* kind_name = "adapter";
    std::uint64_t bandwidth_Bps = slot_Bps;
    std::set<std::size_t> shared; // CPUs with a shared adapter
    std::uint32_t rail = 0;
    for (std::uint32_t gpu = 0; gpu < node.gpus.size(); ++gpu) {
        HostWay const way = host_way_of(node, topology, gpu);
        // NVLink to a CPU is always wider than PCIe 5.0 x16.
        LinkKind const* const own =
            way.links.empty() ? nullptr : &kind_of(node, node.links[way.links.back()]);
        bool const is_pcie = own != nullptr && own->bandwidth_Bps <= slot_Bps;
        std::uint64_t const slot = is_pcie ? own->bandwidth_Bps : slot_of_sheet_Bps(node, gpu);
        bandwidth_Bps = std::min(bandwidth_Bps, slot);
        bool const is_shared = !is_pcie && slot <= pcie_x16_Bps(3);
        if (is_shared && !shared.insert(way.cpu).second) {
            continue;
        }
        std::string const parent =
            is_shared ? node.cpus[way.cpu].name : adapter_parent(node, way, is_pcie, gpu);
        std::string const name = "nic" + std::to_string(rail);
        node.switches.push_back(Switch{name, rail, std::nullopt});
        node.links.push_back(Link{kind_name + (" " + name), kind_name, parent, name});
        ++rail;
    }
    LinkKind kind;
    kind.name = kind_name;
    kind.bandwidth_Bps = bandwidth_Bps;
    kind.efficiency = 0.86;
    kind.latency = microseconds(1);
    kind.origins = {{"rest",
                     shared.empty()
                         ? "assumed: an adapter for each GPU, on PCIe as wide as the GPU's"
                         : "assumed: an adapter for each CPU, on PCIe of the GPU's data sheet"}};
    node.link_kinds.push_back(kind);
    if (bandwidth_Bps < slot_Bps) {
        // 200 Gb/s on PCIe 4.0, as ConnectX-6 on HDR; 100 Gb/s on PCIe 3.0, as ConnectX-5 on EDR.
        std::uint64_t const rail_Bps = bandwidth_Bps / (slot_Bps / 1000) * (adapter_Bps / 1000);
        for (Switch& inner : node.switches) {
            inner.rail_Bps = inner.rail ? std::optional(rail_Bps) : std::nullopt;
        }
        node.link_kinds.push_back(
            network_kind("rail " + format_bandwidth(rail_Bps),
                         rail_Bps,
                         "assumed: the adapters of that PCIe's time, 200 Gb/s on PCIe 4.0"));
    }
    return node;
}

/// Copies constants; a constant whose name is taken by a different one gets a new name.
template <class Constants>
void take_over(std::vector<Constants>& all,
               std::vector<Constants> const& own,
               std::string const& node,
               std::map<std::string, std::string>& names) {
    for (Constants constants : own) {
        std::string const name = constants.name;
        auto const known = std::ranges::find(all, name, &Constants::name);
        if (known != all.end() && *known != constants) {
            constants.name += " of " + node;
        }
        names[name] = constants.name;
        if (known == all.end() || constants.name != name) {
            all.push_back(std::move(constants));
        }
    }
}

/// Returns the node with its constants renamed as in the cluster.
Platform joined_constants(Platform& cluster, Platform node) {
    std::map<std::string, std::string> devices;
    std::map<std::string, std::string> kinds;
    take_over(cluster.devices, node.devices, node.name, devices);
    take_over(cluster.link_kinds, node.link_kinds, node.name, kinds);
    for (Gpu& gpu : node.gpus) {
        gpu.device = devices.at(gpu.device);
    }
    for (Link& link : node.links) {
        link.kind = kinds.at(link.kind);
    }
    return node;
}

/// Parses "dgx-h100:2"; nullopt without a count of at least 1.
std::optional<std::pair<std::string_view, std::uint32_t>> node_and_count(std::string_view text) {
    std::size_t const colon = text.rfind(':');
    std::string_view const digits = colon == std::string_view::npos ? "" : text.substr(colon + 1);
    std::uint32_t const count = parsed_number<std::uint32_t>(digits).value_or(0);
    return count >= 1 && colon > 0 ? std::optional(std::pair{text.substr(0, colon), count})
                                   : std::nullopt;
}

} // namespace

Expected<Platform> make_cluster(std::vector<ClusterNodes> const& groups) {
    Platform cluster;
    std::uint32_t node_count = 0;
    std::uint32_t rails = 0;
    std::vector<Platform> nodes;
    for (ClusterNodes const& group : groups) {
        KEYSWAP_TRY(auto node, with_adapters(group.node));
        rails = std::max(rails, rails_of(node));
        node_count += group.count;
        cluster.name += (nodes.empty() ? "cluster:" : "+") + group.node.name + ":" +
                        std::to_string(group.count);
        cluster.description +=
            (nodes.empty() ? "" : " and ") + std::to_string(group.count) + " x " + group.node.name;
        nodes.push_back(joined_constants(cluster, std::move(node)));
    }
    cluster.description += " on " + std::to_string(rails) + " rails, full bisection";
    cluster.link_kinds.push_back(
        network_kind("rail", adapter_Bps, "datasheet: ConnectX-7, 400 Gb/s each way"));
    cluster.link_kinds.push_back(
        network_kind("trunk",
                     adapter_Bps * node_count,
                     "assumed: as wide as all adapters below a leaf (no oversubscription)"));
    Joined joined;
    for (std::size_t group = 0; group < groups.size(); ++group) {
        for (std::uint32_t number = 0; number < groups[group].count; ++number) {
            append_node(cluster, nodes[group], joined);
        }
    }
    for (std::uint32_t rail = 0; rail < rails; ++rail) {
        std::string const leaf = "leaf" + std::to_string(rail);
        cluster.switches.push_back(Switch{leaf, std::nullopt, std::nullopt});
        cluster.links.push_back(Link{leaf + "-spine", "trunk", leaf, "spine"});
    }
    cluster.switches.push_back(Switch{"spine", std::nullopt, std::nullopt});
    return cluster;
}

bool is_cluster(std::string_view platform) {
    return platform.starts_with("cluster:");
}

Expected<std::vector<std::pair<std::string, std::uint32_t>>> cluster_groups(std::string_view text) {
    std::string_view rest = text.substr(text.find(':') + 1);
    std::vector<std::pair<std::string, std::uint32_t>> groups;
    std::uint32_t nodes = 0;
    for (bool more = true; more;) {
        std::size_t const end = rest.find('+');
        auto const named = node_and_count(rest.substr(0, end));
        nodes += named ? std::min(named->second, node_count_max + 1) : 0;
        if (!named || nodes > node_count_max) {
            return input_error(text,
                               "is not a list of nodes with counts, at most 128 in all",
                               "write cluster:dgx-h100:8, or "
                               "cluster:dgx-h100:2+hgx-h200:1");
        }
        groups.emplace_back(named->first, named->second);
        more = end != std::string_view::npos;
        rest = more ? rest.substr(end + 1) : "";
    }
    return groups;
}

Expected<Platform> load_cluster(std::string_view text) {
    KEYSWAP_TRY(auto const groups, cluster_groups(text));
    std::vector<ClusterNodes> nodes;
    for (auto const& [name, count] : groups) {
        KEYSWAP_TRY(auto node, load_node(name));
        nodes.push_back({std::move(node), count});
    }
    return make_cluster(nodes);
}

} // namespace keyswap::simulator
