#include "simulator/platform/shipped_twin.hpp"

#include "simulator/platform/key_place.hpp"
#include "simulator/platform/topology.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

namespace keyswap::simulator {
namespace {

bool is_near(double one, double other) {
    return std::abs(one - other) <= 0.1 * std::max(one, other);
}

/// NUMA node of each GPU.
std::vector<std::uint32_t> nodes_of(Platform const& platform) {
    std::vector<std::uint32_t> nodes;
    auto const topology = Topology::of(platform);
    if (topology) {
        for (MemoryPlace const memory :
             chunk_memories({KeyPlace::Kind::local, 0}, platform, *topology)) {
            nodes.push_back(memory.index);
        }
    }
    return nodes;
}

std::set<std::string> neighbours_of(Platform const& platform, std::string const& node) {
    std::set<std::string> others;
    for (Link const& link : platform.links) {
        if (link.from == node || link.to == node) {
            others.insert(link.from == node ? link.to : link.from);
        }
    }
    return others;
}

/// Nominal bandwidth of a GPU's links to other GPUs, and to switches that reach every GPU.
double peer_Bps(Platform const& platform) {
    std::set<std::string> gpus;
    for (Gpu const& gpu : platform.gpus) {
        gpus.insert(gpu.name);
    }
    std::string const& first = platform.gpus.front().name;
    double total = 0.0;
    for (Link const& link : platform.links) {
        if (link.from != first && link.to != first) {
            continue;
        }
        std::string const& other = link.from == first ? link.to : link.from;
        std::set<std::string> const beyond = neighbours_of(platform, other);
        if (gpus.contains(other) || std::ranges::includes(beyond, gpus)) {
            total += static_cast<double>(kind_of(platform, link).bandwidth_Bps);
        }
    }
    return total;
}

bool same_gpus(Platform const& imported, Platform const& shipped) {
    if (imported.gpus.size() != shipped.gpus.size() || imported.gpus.empty()) {
        return false;
    }
    Device const& one = device_of(imported, 0);
    Device const& other = device_of(shipped, 0);
    return is_near(static_cast<double>(one.memory_bytes),
                   static_cast<double>(other.memory_bytes)) &&
           is_near(static_cast<double>(one.hbm_bandwidth_Bps),
                   static_cast<double>(other.hbm_bandwidth_Bps)) &&
           is_near(peer_Bps(imported), peer_Bps(shipped));
}

/// Whether the imported NUMA nodes are the shipped ones, or parts of them: node by node where there
/// are as many, else the same number to each of several.
bool same_nodes(Platform const& imported, Platform const& shipped) {
    std::size_t const nodes = imported.cpus.size();
    std::size_t const sockets = shipped.cpus.size();
    if (nodes != sockets && (sockets < 2 || nodes % sockets != 0)) {
        return false;
    }
    auto const of_imported = nodes_of(imported);
    auto const of_shipped = nodes_of(shipped);
    for (std::size_t gpu = 0; gpu < of_imported.size(); ++gpu) {
        if (of_imported[gpu] / (nodes / sockets) != of_shipped[gpu]) {
            return false;
        }
    }
    return !of_imported.empty();
}

/// Whether GPUs that were seen below one PCIe switch are below one there too.
bool same_switches(Platform const& imported, Platform const& shipped) {
    auto const share = [](Platform const& platform, std::size_t a, std::size_t b) {
        std::set<std::string> switches;
        for (Switch const& node : platform.switches) {
            switches.insert(node.name);
        }
        for (std::string const& node : neighbours_of(platform, platform.gpus[a].name)) {
            bool const whole = std::ranges::all_of(platform.gpus, [&](Gpu const& gpu) {
                return neighbours_of(platform, node).contains(gpu.name);
            });
            if (!whole && switches.contains(node) &&
                neighbours_of(platform, node).contains(platform.gpus[b].name)) {
                return true;
            }
        }
        return false;
    };
    for (std::size_t a = 0; a < imported.gpus.size(); ++a) {
        for (std::size_t b = a + 1; b < imported.gpus.size(); ++b) {
            if (share(imported, a, b) && !share(shipped, a, b)) {
                return false;
            }
        }
    }
    return true;
}

void mark(Origins& origins, std::string const& shipped) {
    for (auto& [constant, origin] : origins) {
        if (!origin.starts_with("datasheet: NVIDIA")) { // the GPU was named
            origin = "assumed: as on the shipped '" + shipped + "' (" + origin + ")";
        }
    }
}

} // namespace

std::optional<Platform> shipped_twin(Platform const& imported) {
    // Comparing GPUs by pairs takes a while, and no shipped machine has more.
    constexpr std::size_t gpus_most = 128;
    if (imported.gpus.size() > gpus_most) {
        return std::nullopt;
    }
    for (ShippedPlatform const& shipped : shipped_platforms()) {
        auto twin = load_platform(shipped.name);
        if (!twin || !same_gpus(imported, *twin) || !same_nodes(imported, *twin) ||
            !same_switches(imported, *twin)) {
            continue;
        }
        for (Cpu& cpu : twin->cpus) {
            mark(cpu.origins, twin->name);
        }
        for (LinkKind& kind : twin->link_kinds) {
            mark(kind.origins, twin->name);
        }
        for (Device& device : twin->devices) {
            mark(device.origins, twin->name);
        }
        twin->description = imported.description + "; what was not told is as on the shipped '" +
                            twin->name + "', which has the same GPUs, NVLinks and NUMA nodes";
        twin->name = imported.name;
        return *twin;
    }
    return std::nullopt;
}

} // namespace keyswap::simulator
