#include "simulator/platform/key_place.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/known_names.hpp"
#include "traces/errors/parsed_number.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace keyswap::simulator {
namespace {

constexpr std::string_view node_prefix = "node:";

/// Distance of a route: fewer links are nearer, then a wider bottleneck.
struct Nearness {
    std::size_t links = std::numeric_limits<std::size_t>::max();
    double width_Bps = 0.0;

    [[nodiscard]] bool nearer_than(Nearness const& other) const {
        return links < other.links || (links == other.links && width_Bps > other.width_Bps);
    }
};

Nearness nearness_of(Topology const& topology, Route const& route) {
    Nearness nearness{route.links.size(), std::numeric_limits<double>::infinity()};
    for (ChannelShare const& share : route.shares) {
        double const width = topology.channels()[share.channel].capacity_Bps / share.weight;
        nearness.width_Bps = std::min(nearness.width_Bps, width);
    }
    return nearness;
}

/// The nearest NUMA node, the lowest number of equally near ones; 0 if none is connected.
std::uint32_t nearest_node(Platform const& platform, Topology const& topology, std::uint32_t gpu) {
    std::uint32_t nearest = 0;
    Nearness best;
    for (std::uint32_t node = 0; node < platform.cpus.size(); ++node) {
        auto const links = topology.link_count(host_memory(node), gpu_memory(gpu));
        if (!links || *links > best.links) {
            continue; // needs no route to be compared
        }
        Nearness const nearness =
            nearness_of(topology, *topology.route(host_memory(node), gpu_memory(gpu)));
        if (nearness.nearer_than(best)) {
            best = nearness;
            nearest = node;
        }
    }
    return nearest;
}

} // namespace

Expected<KeyPlace> parse_key_place(std::string_view text, std::string_view subject) {
    using Kind = KeyPlace::Kind;
    KnownNames known;
    known.add("node:0");
    for (Kind const kind : {Kind::interleaved, Kind::local, Kind::devices}) {
        if (text == to_string(KeyPlace{kind, 0})) {
            return KeyPlace{kind, 0};
        }
        known.add(to_string(KeyPlace{kind, 0}));
    }
    if (text.starts_with(node_prefix)) {
        if (auto const node = parsed_number<std::uint32_t>(text.substr(node_prefix.size()))) {
            return KeyPlace{Kind::node, *node};
        }
    }
    return input_error(subject,
                       "'" + std::string(text) + "' is not a place for keys",
                       known.remedy(text) + "; other nodes as node:1");
}

std::string to_string(KeyPlace place) {
    switch (place.kind) {
    case KeyPlace::Kind::interleaved:
        return "interleaved";
    case KeyPlace::Kind::local:
        return "local";
    case KeyPlace::Kind::devices:
        return "devices";
    case KeyPlace::Kind::node:
        break;
    }
    return std::string(node_prefix) + std::to_string(place.node);
}

bool has_several_machines(Platform const& platform) {
    return std::ranges::any_of(
        platform.cpus, [&](Cpu const& cpu) { return cpu.machine != platform.cpus[0].machine; });
}

KeyPlace default_key_place(Platform const& platform, KeyLayout layout) {
    bool const near_gpus = layout == KeyLayout::near_gpus || has_several_machines(platform);
    return {near_gpus ? KeyPlace::Kind::local : KeyPlace::Kind::node, 0};
}

std::vector<MemoryPlace>
chunk_memories(KeyPlace place, Platform const& platform, Topology const& topology) {
    KEYSWAP_EXPECTS(place.kind != KeyPlace::Kind::node || place.node < platform.cpus.size());
    std::vector<MemoryPlace> memories;
    for (std::uint32_t gpu = 0; gpu < platform.gpus.size(); ++gpu) {
        switch (place.kind) {
        case KeyPlace::Kind::node:
            memories.push_back(host_memory(place.node));
            break;
        case KeyPlace::Kind::interleaved: {
            std::uint32_t const node = nearest_node(platform, topology, gpu);
            memories.push_back(interleaved_memory(platform.cpus[node].machine));
            break;
        }
        case KeyPlace::Kind::local:
            memories.push_back(host_memory(nearest_node(platform, topology, gpu)));
            break;
        case KeyPlace::Kind::devices:
            memories.push_back(gpu_memory(gpu));
            break;
        }
    }
    return memories;
}

} // namespace keyswap::simulator
