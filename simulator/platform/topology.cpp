#include "simulator/platform/topology.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/input_limits.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <string_view>

namespace keyswap::simulator {
namespace {

double effective(std::uint64_t bandwidth_Bps, double efficiency) {
    return static_cast<double>(bandwidth_Bps) * efficiency;
}

/// Adds to the share of a channel that is listed already: a copy within a GPU uses its HBM twice.
void add_share(std::vector<ChannelShare>& shares, std::uint32_t channel, double weight = 1.0) {
    for (ChannelShare& share : shares) {
        if (share.channel == channel) {
            share.weight += weight;
            return;
        }
    }
    shares.push_back(ChannelShare{channel, weight});
}

} // namespace

Expected<Topology> Topology::of(Platform const& platform) {
    Topology topology;
    topology.add_node_channels(platform);
    topology.add_link_channels(platform);
    NodeNumbers numbers;
    auto const number = [&numbers](auto const& nodes) {
        for (auto const& node : nodes) {
            numbers.emplace(node.name, static_cast<std::uint32_t>(numbers.size()));
        }
    };
    number(platform.cpus);
    number(platform.gpus);
    number(platform.switches);
    if (auto error = topology.connect(platform, numbers)) {
        return tl::unexpected(*error);
    }
    std::uint32_t const memories = topology.cpu_count_ + topology.gpu_count_;
    std::size_t const nodes = topology.hops_.size();
    if (memories > 0 && nodes > limit_of(Limit::memory) / sizeof(Arrival) / memories) {
        return tl::unexpected(beyond_limit(
            Limit::memory,
            platform.name,
            "routes from " + std::to_string(memories) + " memories over " + std::to_string(nodes) +
                " nodes take " + std::to_string(sizeof(Arrival)) + " bytes a pair"));
    }
    for (std::uint32_t node = 0; node < memories; ++node) {
        topology.arrivals_.push_back(topology.arrivals_from(node));
    }
    if (auto error = topology.add_given_routes(platform, numbers)) {
        return tl::unexpected(*error);
    }
    return topology;
}

std::uint32_t Topology::add_channel(std::string name, double capacity_Bps) {
    channels_.push_back(Channel{std::move(name), capacity_Bps});
    return static_cast<std::uint32_t>(channels_.size() - 1);
}

void Topology::add_node_channels(Platform const& platform) {
    cpu_count_ = static_cast<std::uint32_t>(platform.cpus.size());
    gpu_count_ = static_cast<std::uint32_t>(platform.gpus.size());
    for (Cpu const& cpu : platform.cpus) {
        read_.push_back(add_channel("memory of " + cpu.name + ", reads",
                                    effective(cpu.memory_read_Bps, cpu.memory_read_efficiency)));
        write_.push_back(add_channel("memory of " + cpu.name + ", writes",
                                     effective(cpu.memory_write_Bps, cpu.memory_write_efficiency)));
        total_.emplace_back();
        write_cost_.push_back(cpu.memory_write_cost);
        machine_nodes_[cpu.machine].push_back(static_cast<std::uint32_t>(write_.size() - 1));
        if (cpu.memory_total_Bps) {
            total_.back() =
                add_channel("memory of " + cpu.name + ", reads and writes",
                            effective(*cpu.memory_total_Bps, cpu.memory_total_efficiency));
        }
    }
    for (std::uint32_t gpu = 0; gpu < gpu_count_; ++gpu) {
        Device const& device = device_of(platform, gpu);
        hbm_.push_back(add_channel("HBM of " + platform.gpus[gpu].name,
                                   effective(device.hbm_bandwidth_Bps, device.hbm_efficiency)));
    }
}

void Topology::add_link_channels(Platform const& platform) {
    std::map<std::string_view, LinkKind const*> kinds;
    for (LinkKind const& kind : platform.link_kinds) {
        kinds.emplace(kind.name, &kind);
    }
    for (Link const& link : platform.links) {
        LinkKind const& kind = *kinds.at(link.kind);
        ModelledLink& entry = links_.emplace_back();
        entry.forward = add_channel(link.name + ": " + link.from + " > " + link.to,
                                    effective(kind.bandwidth_Bps, kind.efficiency));
        entry.backward = add_channel(link.name + ": " + link.to + " > " + link.from,
                                     effective(kind.bandwidth_back_Bps.value_or(kind.bandwidth_Bps),
                                               kind.efficiency_back.value_or(kind.efficiency)));
        if (kind.bandwidth_total_Bps) {
            entry.total = add_channel(link.name + ": both directions",
                                      effective(*kind.bandwidth_total_Bps, kind.efficiency_total));
        }
        entry.latency = kind.latency;
        entry.piece_cost = 1.0 / kind.efficiency_pieces;
        entry.whole_write_cost = 1.0 / kind.efficiency_whole_write;
        entry.shared_read_cost = 1.0 / kind.efficiency_shared_read;
        entry.shared_write_cost = 1.0 / kind.efficiency_shared_write;
        auto const most = [&kind](double efficiency) {
            return efficiency < 1.0 ? effective(kind.bandwidth_Bps, efficiency)
                                    : Route{}.rate_max_Bps;
        };
        entry.single_read_Bps = most(kind.efficiency_single_read);
        entry.lone_read_Bps = most(kind.efficiency_lone_read);
        if (kind.efficiency_single_peer < 1.0) {
            std::vector<std::uint32_t>& arrivals =
                peer_arrivals_[static_cast<std::uint32_t>(links_.size() - 1)];
            for (Gpu const& gpu : platform.gpus) {
                arrivals.push_back(add_channel(link.name + ": from GPUs into " + gpu.name,
                                               most(kind.efficiency_single_peer)));
            }
        }
    }
}

std::optional<InputError> Topology::connect(Platform const& platform, NodeNumbers const& numbers) {
    hops_.resize(numbers.size());
    for (std::uint32_t link = 0; link < platform.links.size(); ++link) {
        auto const from = numbers.find(platform.links[link].from);
        auto const to = numbers.find(platform.links[link].to);
        if (from == numbers.end() || to == numbers.end()) {
            return InputError{platform.name,
                              "link " + platform.links[link].name + " ends at an unknown node",
                              "name a CPU, GPU or switch of the platform"};
        }
        hops_[from->second].push_back(Hop{link, to->second, false});
        hops_[to->second].push_back(Hop{link, from->second, true});
    }
    return std::nullopt;
}

std::optional<InputError> Topology::add_given_routes(Platform const& platform,
                                                     NodeNumbers const& numbers) {
    auto const memory_named = [&](std::string const& name) {
        auto const node = numbers.find(name);
        bool const is_memory = node != numbers.end() && node->second < cpu_count_ + gpu_count_;
        return is_memory ? std::optional(node->second) : std::nullopt;
    };
    for (GivenRoute const& route : platform.routes) {
        auto const from = memory_named(route.from);
        auto const to = memory_named(route.to);
        std::optional<std::uint32_t> at = from;
        std::vector<Step> steps;
        for (std::string const& name : route.links) {
            std::optional<std::uint32_t> next;
            for (std::size_t i = 0; at && i < hops_[*at].size() && !next; ++i) {
                Hop const& hop = hops_[*at][i];
                if (platform.links[hop.link].name == name) {
                    steps.emplace_back(hop.link, hop.backward);
                    next = hop.neighbour;
                }
            }
            at = next;
        }
        if (!from || !to || at != to || from == to) {
            return InputError{platform.name,
                              "the route from " + route.from + " to " + route.to +
                                  " is not a path of known links between two memories",
                              "list the links in the order in which the path takes them"};
        }
        given_[{*from, *to}] = steps;
        std::reverse(steps.begin(), steps.end());
        for (auto& step : steps) {
            step.second = !step.second;
        }
        given_[{*to, *from}] = steps;
    }
    return std::nullopt;
}

std::vector<Topology::Arrival> Topology::arrivals_from(std::uint32_t source) const {
    // Settles nodes by ascending hop count, where a CPU in between adds one. A path of h hops is
    // extended once all shorter paths are known, so at most two levels are open at a time.
    std::vector<Arrival> best(hops_.size());
    std::vector<char> settled(hops_.size(), 0);
    std::vector<std::vector<std::uint32_t>> levels(2 * hops_.size() + 3);
    levels[0].push_back(source);
    best[source].width = std::numeric_limits<double>::infinity();
    for (std::uint32_t hops = 0; hops + 2 < levels.size(); ++hops) {
        std::sort(levels[hops].begin(), levels[hops].end());
        for (std::uint32_t const node : levels[hops]) {
            if (settled[node] != 0 || best[node].hops != hops) {
                continue;
            }
            settled[node] = 1;
            bool const is_gpu = node >= cpu_count_ && node < cpu_count_ + gpu_count_;
            if (is_gpu && node != source) {
                continue; // GPUs do not forward
            }
            std::uint32_t const next = hops + (node < cpu_count_ && node != source ? 2 : 1);
            for (Hop const& hop : hops_[node]) {
                ModelledLink const& link = links_[hop.link];
                std::uint32_t const channel = hop.backward ? link.backward : link.forward;
                double const width = std::min(best[node].width, channels_[channel].capacity_Bps);
                Arrival& other = best[hop.neighbour];
                bool const reached = other.hops != 0 || hop.neighbour == source;
                bool const better =
                    !reached || next < other.hops ||
                    (next == other.hops &&
                     (width > other.width || (width == other.width && hop.link < other.link)));
                if (hop.neighbour != source && settled[hop.neighbour] == 0 && better) {
                    other = Arrival{next, width, node, hop.link, hop.backward};
                    levels[next].push_back(hop.neighbour);
                }
            }
        }
    }
    return best;
}

std::optional<std::vector<Topology::Step>> Topology::path(std::uint32_t source,
                                                          std::uint32_t destination) const {
    if (auto const given = given_.find({source, destination}); given != given_.end()) {
        return given->second;
    }
    std::vector<Step> steps;
    std::vector<Arrival> const& arrivals = arrivals_[source];
    for (std::uint32_t node = destination; node != source; node = arrivals[node].previous) {
        if (arrivals[node].hops == 0) {
            return std::nullopt;
        }
        steps.emplace_back(arrivals[node].link, arrivals[node].backward);
    }
    std::reverse(steps.begin(), steps.end());
    return steps;
}

std::uint32_t Topology::node_of(MemoryPlace place) const {
    return place.kind == MemoryKind::host ? place.index : cpu_count_ + place.index;
}

bool Topology::has(MemoryPlace place) const {
    if (place.kind == MemoryKind::interleaved) {
        return machine_nodes_.contains(place.index);
    }
    return place.index < (place.kind == MemoryKind::host ? cpu_count_ : gpu_count_);
}

std::vector<MemoryPlace> Topology::parts_of(MemoryPlace place) const {
    if (place.kind != MemoryKind::interleaved) {
        return {place};
    }
    std::vector<MemoryPlace> parts;
    for (std::uint32_t const node : machine_nodes_.at(place.index)) {
        parts.push_back(host_memory(node));
    }
    return parts;
}

bool Topology::is_connected(MemoryPlace source, MemoryPlace destination) const {
    std::uint32_t const from = node_of(source);
    std::uint32_t const to = node_of(destination);
    return from == to || arrivals_[from][to].hops != 0 || given_.contains({from, to});
}

std::optional<std::size_t> Topology::link_count(MemoryPlace source, MemoryPlace destination) const {
    std::uint32_t const from = node_of(source);
    std::uint32_t const to = node_of(destination);
    if (auto const given = given_.find({from, to}); given != given_.end()) {
        return given->second.size();
    }
    std::size_t count = 0;
    for (std::uint32_t node = to; node != from; node = arrivals_[from][node].previous) {
        if (arrivals_[from][node].hops == 0) {
            return std::nullopt;
        }
        ++count;
    }
    return count;
}

std::optional<Route>
Topology::route(MemoryPlace source, MemoryPlace destination, CopyExtent extent) const {
    KEYSWAP_EXPECTS(has(source) && has(destination));
    if (source.kind != MemoryKind::interleaved && destination.kind != MemoryKind::interleaved) {
        return part_route(source, destination, extent);
    }
    std::vector<MemoryPlace> const sources = parts_of(source);
    std::vector<MemoryPlace> const destinations = parts_of(destination);
    double const share = 1.0 / static_cast<double>(sources.size() * destinations.size());
    Route whole;
    for (MemoryPlace const from : sources) {
        for (MemoryPlace const to : destinations) {
            auto const part = part_route(from, to, extent);
            if (!part) {
                return std::nullopt;
            }
            for (ChannelShare const& cost : part->shares) {
                add_share(whole.shares, cost.channel, cost.weight * share);
            }
            for (std::uint32_t const link : part->links) {
                if (std::ranges::find(whole.links, link) == whole.links.end()) {
                    whole.links.push_back(link);
                }
            }
            whole.latency = std::max(whole.latency, part->latency);
            whole.rate_max_Bps = std::min(whole.rate_max_Bps, part->rate_max_Bps / share);
        }
    }
    return whole;
}

std::optional<Route>
Topology::part_route(MemoryPlace source, MemoryPlace destination, CopyExtent extent) const {
    auto const steps = path(node_of(source), node_of(destination));
    if (!steps) {
        return std::nullopt;
    }
    bool const to_gpu = destination.kind == MemoryKind::gpu;
    bool const between_gpus = source.kind == MemoryKind::gpu && to_gpu;
    Route route;
    route.shares.reserve(steps->size() + 2);
    route.links.reserve(steps->size());
    auto const add_memory = [&](MemoryPlace place, bool write) {
        if (place.kind == MemoryKind::gpu) {
            add_share(route.shares, hbm_[place.index]);
            return;
        }
        add_share(route.shares, write ? write_[place.index] : read_[place.index]);
        if (total_[place.index]) {
            add_share(route.shares, *total_[place.index], write ? write_cost_[place.index] : 1.0);
        }
    };
    add_memory(source, false);
    for (auto const& [link, backward] : *steps) {
        double const cost = copy_cost(link, extent, !to_gpu);
        ModelledLink const& channels = links_[link];
        add_share(route.shares, backward ? channels.backward : channels.forward, cost);
        if (channels.total) {
            add_share(route.shares, *channels.total, cost);
        }
        route.links.push_back(link);
        route.latency += links_[link].latency;
        if (auto const known = peer_arrivals_.find(link);
            between_gpus && known != peer_arrivals_.end()) {
            add_share(route.shares, known->second[destination.index]);
        }
    }
    add_memory(destination, true);
    return route;
}

std::vector<std::uint32_t> Topology::link_channels(std::uint32_t link, bool backward) const {
    ModelledLink const& entry = links_[link];
    std::vector<std::uint32_t> channels{backward ? entry.backward : entry.forward};
    if (entry.total) {
        channels.push_back(*entry.total);
    }
    return channels;
}

std::vector<double> Topology::capacities() const {
    std::vector<double> capacities;
    capacities.reserve(channels_.size());
    for (Channel const& channel : channels_) {
        capacities.push_back(channel.capacity_Bps);
    }
    return capacities;
}

} // namespace keyswap::simulator
