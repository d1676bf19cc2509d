#include "simulator/platform/platform_cluster.hpp"

#include "simulator/platform/platform_text.hpp"
#include "simulator/platform/topology.hpp"
#include "simulator/platform/units.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t node_count_max = 128;

/// ConnectX-7 on NDR InfiniBand: 400 Gb/s each way.
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

/// Adapters whose speed is known have a kind of their own: "rail 25 GB/s".
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

/// Nodes that are joined to a cluster so far.
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

/// The last link on the shortest way from a CPU to the GPU, and that CPU.
struct HostLink {
    std::size_t cpu = 0;
    std::optional<std::size_t> link; ///< index into links; nullopt if no CPU reaches the GPU
};

HostLink host_link_of(Platform const& node, Topology const& topology, std::uint32_t gpu) {
    std::optional<Route> shortest;
    HostLink found;
    for (std::uint32_t cpu = 0; cpu < node.cpus.size(); ++cpu) {
        auto route = topology.route(host_memory(cpu), gpu_memory(gpu));
        if (route && !route->links.empty() &&
            (!shortest || route->links.size() < shortest->links.size())) {
            found = {cpu, route->links.back()};
            shortest = std::move(route);
        }
    }
    return found;
}

std::uint64_t bandwidth_of(Platform const& node, Link const& link) {
    return std::ranges::find(node.link_kinds, link.kind, &LinkKind::name)->bandwidth_Bps;
}

/// Splits a GPU's PCIe link by a switch of its own, which an adapter can share: what the GPU sends
/// over it passes by no CPU and takes no adapter of another GPU. Below that switch both directions
/// have full rates, as below any. \return the switch
std::string split_by_switch(Platform& node, std::size_t link, std::uint32_t gpu) {
    std::string const name = "slot" + std::to_string(gpu);
    node.switches.push_back(Switch{name, std::nullopt, std::nullopt});
    Link& own = node.links[link];
    std::string& parent = own.from == node.gpus[gpu].name ? own.to : own.from;
    Link upper{"pcie " + name, own.kind, parent, name};
    parent = name;
    LinkKind lower = *std::ranges::find(node.link_kinds, own.kind, &LinkKind::name);
    lower.name += " below a slot";
    lower.bandwidth_total_Bps.reset();
    lower.efficiency_total = 1.0;
    own.kind = lower.name;
    if (std::ranges::find(node.link_kinds, lower.name, &LinkKind::name) == node.link_kinds.end()) {
        node.link_kinds.push_back(std::move(lower));
    }
    node.links.push_back(std::move(upper));
    return name;
}

/// A node whose file has no adapters gets one for each GPU, as fast as the GPU's own PCIe allows.
Expected<Platform> with_adapters(Platform node) {
    if (rails_of(node) > 0) {
        return node;
    }
    if (node.gpus.empty()) {
        return tl::unexpected(InputError{
            node.name, "has no GPUs to join by network adapters", "name a platform with GPUs"});
    }
    KEYSWAP_TRY(auto const topology, Topology::of(node));
    constexpr char const* kind_name = "adapter";
    std::uint64_t bandwidth_Bps = slot_Bps;
    std::size_t const gpus = node.gpus.size();
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        HostLink const host = host_link_of(node, topology, gpu);
        std::string parent = node.cpus[host.cpu].name;
        // No NVLink to a CPU is as narrow as PCIe 5.0.
        bool const is_pcie = host.link && bandwidth_of(node, node.links[*host.link]) <= slot_Bps;
        if (is_pcie) {
            bandwidth_Bps = std::min(bandwidth_Bps, bandwidth_of(node, node.links[*host.link]));
            parent = split_by_switch(node, *host.link, gpu);
        }
        std::string const name = "nic" + std::to_string(gpu);
        node.switches.push_back(Switch{name, gpu, std::nullopt});
        node.links.push_back(Link{kind_name + (" " + name), kind_name, parent, name});
    }
    LinkKind kind;
    kind.name = kind_name;
    kind.bandwidth_Bps = bandwidth_Bps;
    kind.efficiency = 0.86;
    kind.latency = microseconds(1);
    kind.origins = {{"rest", "assumed: an adapter for each GPU, on PCIe as wide as the GPU's"}};
    node.link_kinds.push_back(std::move(kind));
    if (bandwidth_Bps < slot_Bps) {
        // 200 Gb/s of PCIe 4.0, as ConnectX-6 on HDR.
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

/// Takes over constants; those of one name that differ from what other nodes have get another one.
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

/// The node with the names that its constants have in the cluster.
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

/// "dgx-h100:2"
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

Expected<std::vector<std::pair<std::string, std::uint32_t>>> cluster_groups(std::string_view text) {
    std::string_view rest = text.substr(text.find(':') + 1);
    std::vector<std::pair<std::string, std::uint32_t>> groups;
    std::uint32_t nodes = 0;
    for (bool more = true; more;) {
        std::size_t const end = rest.find('+');
        auto const named = node_and_count(rest.substr(0, end));
        nodes += named ? std::min(named->second, node_count_max + 1) : 0;
        if (!named || nodes > node_count_max) {
            return tl::unexpected(InputError{std::string(text),
                                             "does not name nodes and counts from 1 to 128 in all",
                                             "write cluster:dgx-h100:8, or "
                                             "cluster:dgx-h100:2+hgx-h200:1"});
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
