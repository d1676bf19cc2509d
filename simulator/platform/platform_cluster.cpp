#include "simulator/platform/platform_cluster.hpp"

#include "simulator/platform/units.hpp"

#include <algorithm>
#include <charconv>

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

void append_node(Platform& cluster, Platform const& node, std::uint32_t number) {
    std::string const prefix = "n" + std::to_string(number) + ".";
    std::uint32_t sockets = 0;
    std::uint32_t machines = 0;
    for (Cpu const& cpu : node.cpus) {
        sockets = std::max(sockets, cpu.socket + 1);
        machines = std::max(machines, cpu.machine + 1);
    }
    for (Cpu cpu : node.cpus) {
        cpu.name = prefix + cpu.name;
        cpu.socket += number * sockets;
        cpu.machine += number * machines;
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

} // namespace

Expected<Platform> make_cluster(Platform const& node, std::uint32_t node_count) {
    std::uint32_t rails = 0;
    for (Switch const& inner : node.switches) {
        rails = std::max(rails, inner.rail.value_or(0) + (inner.rail ? 1 : 0));
    }
    if (rails == 0) {
        return tl::unexpected(InputError{node.name,
                                         "has no network adapters to join a cluster with",
                                         "give its adapters' [[switch]] tables a rail"});
    }
    Platform cluster;
    cluster.name = "cluster:" + node.name + ":" + std::to_string(node_count);
    cluster.description = std::to_string(node_count) + " x " + node.name + " on " +
                          std::to_string(rails) + " rails, full bisection";
    cluster.devices = node.devices;
    cluster.link_kinds = node.link_kinds;
    cluster.link_kinds.push_back(
        network_kind("rail", adapter_Bps, "datasheet: ConnectX-7, 400 Gb/s each way"));
    cluster.link_kinds.push_back(
        network_kind("trunk",
                     adapter_Bps * node_count,
                     "assumed: as wide as all adapters below a leaf (no oversubscription)"));
    for (std::uint32_t number = 0; number < node_count; ++number) {
        append_node(cluster, node, number);
    }
    for (std::uint32_t rail = 0; rail < rails; ++rail) {
        std::string const leaf = "leaf" + std::to_string(rail);
        cluster.switches.push_back(Switch{leaf, std::nullopt, std::nullopt});
        cluster.links.push_back(Link{leaf + "-spine", "trunk", leaf, "spine"});
    }
    cluster.switches.push_back(Switch{"spine", std::nullopt, std::nullopt});
    return cluster;
}

Expected<Platform> load_cluster(std::string_view text) {
    std::string_view const rest = text.substr(text.find(':') + 1);
    std::size_t const colon = rest.rfind(':');
    std::uint32_t count = 0;
    std::string_view const digits = colon == std::string_view::npos ? "" : rest.substr(colon + 1);
    auto const [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), count);
    bool const whole = error == std::errc{} && end == digits.data() + digits.size();
    if (!whole || count < 1 || count > node_count_max) {
        return tl::unexpected(InputError{std::string(text),
                                         "does not name a node and a count from 1 to 128",
                                         "write cluster:dgx-h100:8"});
    }
    return load_platform(rest.substr(0, colon)).and_then([&](Platform const& node) {
        return make_cluster(node, count);
    });
}

} // namespace keyswap::simulator
