#include "simulator/engine/work_demands.hpp"

#include "traces/errors/contracts.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <variant>

namespace keyswap::simulator {
namespace {

constexpr std::uint32_t whole_ppm = 1'000'000;

/// Pools of one GPU, in order.
enum GpuPool : std::uint32_t {
    engines_to_device,
    engines_to_host,
    engines_peer,
    multiprocessors,
    pools_per_gpu ///< number of pools
};

/// The GPU that owns the task's stream; nullopt for a host thread or without a stream.
std::optional<std::uint32_t> owner_of(TaskGraph const& graph, Task const& task) {
    return task.stream ? graph.streams[task.stream->value].gpu : std::nullopt;
}

/// True if exactly one end of the copy is GPU memory.
bool is_of_host(CopyWork const& copy) {
    return (copy.source.kind == MemoryKind::gpu) != (copy.destination.kind == MemoryKind::gpu);
}

/// \pre is_of_host(copy)
bool is_to_host(CopyWork const& copy) {
    return copy.source.kind == MemoryKind::gpu;
}

MemoryPlace host_place(CopyWork const& copy) {
    return is_to_host(copy) ? copy.destination : copy.source;
}

MemoryPlace gpu_place(CopyWork const& copy) {
    return is_to_host(copy) ? copy.source : copy.destination;
}

/// Distinct for every pair of memories and extent.
std::uint64_t route_key(CopyWork const& copy) {
    constexpr std::uint64_t indices = std::uint64_t{1} << 29U; // limits on platforms are far below
    std::uint64_t key = 0;
    for (MemoryPlace const place : {copy.source, copy.destination}) {
        KEYSWAP_EXPECTS(place.index < indices);
        key = (key * indices + place.index) << 2U | static_cast<std::uint64_t>(place.kind);
    }
    return key << 1U | static_cast<std::uint64_t>(copy.extent);
}

std::string place_name(MemoryPlace place) {
    switch (place.kind) {
    case MemoryKind::host:
        return "host memory " + std::to_string(place.index);
    case MemoryKind::interleaved:
        return "the memory of machine " + std::to_string(place.index);
    case MemoryKind::gpu:
        break;
    }
    return "GPU " + std::to_string(place.index);
}

} // namespace

WorkDemands::WorkDemands(TaskGraph const& graph, Platform const& platform, Topology const& topology)
    : graph_(graph), platform_(platform), topology_(topology), gpu_count_(platform.gpus.size()) {
    for (std::uint32_t gpu = 0; gpu < gpu_count_; ++gpu) {
        Device const& device = device_of(platform, gpu);
        copy_rates_.push_back(
            device.copy_rate_max_Bps ? static_cast<double>(*device.copy_rate_max_Bps) : no_ceiling);
        hbm_shares_.push_back({ChannelShare{topology.hbm_channel(gpu), 1.0}});
    }
    claims_.reserve(graph.tasks.size());
    route_of_task_.reserve(graph.tasks.size());
    count_host_users();
}

void WorkDemands::count_host_users() {
    std::set<RouteKey> seen;
    std::vector<std::pair<CopyWork const*, Route>> routes;
    for (Task const& task : graph_.tasks) {
        auto const* copy = std::get_if<CopyWork>(&task.work);
        if (copy == nullptr || !is_of_host(*copy) || !topology_.has(copy->source) ||
            !topology_.has(copy->destination) || !seen.insert(route_key(*copy)).second) {
            continue;
        }
        if (auto route = topology_.route(copy->source, copy->destination, copy->extent)) {
            for (std::uint32_t const link : route->links) {
                host_users_[{link, is_to_host(*copy)}].insert(gpu_place(*copy).index);
            }
            routes.emplace_back(copy, std::move(*route));
        }
    }
    for (auto& [copy, route] : routes) {
        charge_sharing(*copy, route);
        if (!is_to_host(*copy)) {
            double& fastest = fastest_reads_[host_place(*copy)];
            fastest = std::max(fastest, lone_rate(route, route.rate_max_Bps));
        }
    }
}

void WorkDemands::charge_sharing(CopyWork const& copy, Route& route) const {
    bool const to_host = is_to_host(copy);
    for (std::uint32_t const link : route.links) {
        auto const users = host_users_.find({link, to_host});
        bool const is_alone = users == host_users_.end() || users->second.size() < 2;
        double const own_cost = topology_.copy_cost(link, copy.extent, to_host);
        for (bool const backward : {false, true}) {
            std::uint32_t const direction = topology_.link_channels(link, backward).front();
            auto const share = std::ranges::find(route.shares, direction, &ChannelShare::channel);
            if (share == route.shares.end()) {
                continue;
            }
            if (!to_host) {
                double const part = share->weight / own_cost; // part of interleaved memory
                route.rate_max_Bps = std::min(route.rate_max_Bps,
                                              topology_.read_rate_max_Bps(link, is_alone) / part);
            }
            if (!is_alone) {
                // The costs do not multiply: the larger one applies.
                share->weight *= std::max(1.0, topology_.shared_cost(link, to_host) / own_cost);
            }
        }
    }
}

void WorkDemands::weigh_by_demand(CopyWork const& copy, Route& route) {
    double const pace = lone_rate(route, route.rate_max_Bps) / fastest_reads_.at(host_place(copy));
    for (ChannelShare& share : route.shares) {
        share.weight *= pace;
    }
    route.rate_max_Bps /= pace;
    route.pace = pace;
}

std::vector<std::uint64_t> WorkDemands::pool_sizes() const {
    std::vector<std::uint64_t> sizes;
    sizes.reserve(gpu_count_ * pools_per_gpu + platform_.cpus.size());
    for (std::uint32_t gpu = 0; gpu < gpu_count_; ++gpu) {
        Device const& device = device_of(platform_, gpu);
        sizes.insert(
            sizes.end(),
            {device.engines_to_device, device.engines_to_host, device.engines_peer, whole_ppm});
    }
    sizes.resize(sizes.size() + platform_.cpus.size(), whole_ppm);
    return sizes;
}

std::optional<std::uint32_t> WorkDemands::route_number(CopyWork const& copy) {
    RouteKey const key = route_key(copy);
    if (last_route_ && last_route_->first == key) {
        return last_route_->second;
    }
    auto const next = static_cast<std::uint32_t>(routes_.size());
    auto const [entry, is_new] = route_numbers_.try_emplace(key, next);
    last_route_ = {key, entry->second};
    if (!is_new) {
        return entry->second;
    }
    auto route = topology_.route(copy.source, copy.destination, copy.extent);
    if (!route) {
        return std::nullopt;
    }
    if (is_of_host(copy)) {
        charge_sharing(copy, *route);
    }
    if (is_of_host(copy) && !is_to_host(copy)) {
        weigh_by_demand(copy, *route);
    }
    routes_.push_back(std::move(*route));
    return next;
}

std::optional<InputError> WorkDemands::admit_next() {
    Task const& task = graph_.tasks[claims_.size()];
    auto const unknown = [](std::string const& what) {
        return InputError{
            "task graph", what + " is not part of the platform", "choose one that it has"};
    };
    std::uint32_t number = 0;
    if (auto const* copy = std::get_if<CopyWork>(&task.work)) {
        for (MemoryPlace const place : {copy->source, copy->destination}) {
            if (!topology_.has(place)) {
                return unknown(place_name(place));
            }
        }
        auto const route = route_number(*copy);
        if (!route) {
            return InputError{"platform",
                              "has no route from " + place_name(copy->source) + " to " +
                                  place_name(copy->destination),
                              "add a link, or leave out what cannot be reached"};
        }
        number = *route;
    } else if (auto const* kernel = std::get_if<KernelWork>(&task.work)) {
        if (kernel->gpu >= gpu_count_) {
            return unknown(place_name(gpu_memory(kernel->gpu)));
        }
        KEYSWAP_EXPECTS(kernel->occupancy_ppm <= whole_ppm && kernel->duration.ps >= 0);
    } else if (auto const* work = std::get_if<CpuWork>(&task.work)) {
        if (work->numa_node >= platform_.cpus.size()) {
            return unknown("NUMA node " + std::to_string(work->numa_node));
        }
        KEYSWAP_EXPECTS(work->occupancy_ppm <= whole_ppm && work->duration.ps >= 0);
    }
    if (auto const owner = owner_of(graph_, task); owner && *owner >= gpu_count_) {
        return unknown(place_name(gpu_memory(*owner)));
    }
    claims_.push_back(claim_for(task));
    route_of_task_.push_back(number);
    return std::nullopt;
}

Claim WorkDemands::claim_for(Task const& task) const {
    if (auto const* copy = std::get_if<CopyWork>(&task.work)) {
        bool const from_host = copy->source.kind != MemoryKind::gpu;
        bool const to_host = copy->destination.kind != MemoryKind::gpu;
        if (from_host && to_host) {
            return Claim{};
        }
        if (from_host) {
            return Claim{copy->destination.index * pools_per_gpu + engines_to_device, 1};
        }
        if (to_host) {
            return Claim{copy->source.index * pools_per_gpu + engines_to_host, 1};
        }
        std::uint32_t const gpu = owner_of(graph_, task).value_or(copy->source.index);
        return Claim{gpu * pools_per_gpu + engines_peer, 1};
    }
    if (auto const* kernel = std::get_if<KernelWork>(&task.work)) {
        return Claim{kernel->gpu * pools_per_gpu + multiprocessors, kernel->occupancy_ppm};
    }
    if (auto const* work = std::get_if<CpuWork>(&task.work)) {
        auto const first = static_cast<std::uint32_t>(gpu_count_ * pools_per_gpu);
        return Claim{first + work->numa_node, work->occupancy_ppm};
    }
    return Claim{};
}

std::vector<ChannelShare> const& WorkDemands::cpu_shares(CpuWork const& work) {
    auto const read = static_cast<double>(work.memory_read_bytes);
    auto const write = static_cast<double>(work.memory_write_bytes);
    cpu_shares_.clear();
    if (read > 0.0) {
        cpu_shares_.push_back({topology_.read_channel(work.numa_node), read / (read + write)});
    }
    if (write > 0.0) {
        cpu_shares_.push_back({topology_.write_channel(work.numa_node), write / (read + write)});
    }
    if (auto const total = topology_.total_channel(work.numa_node)) {
        double const cost = (read + write * topology_.write_cost(work.numa_node)) / (read + write);
        cpu_shares_.push_back({*total, cost});
    }
    return cpu_shares_;
}

double WorkDemands::lone_rate(Route const& route, double ceiling) const {
    for (ChannelShare const& share : route.shares) {
        double const capacity = topology_.channels()[share.channel].capacity_Bps;
        ceiling = std::min(ceiling, capacity / share.weight);
    }
    return ceiling;
}

Motion WorkDemands::copy_motion(Task const& task,
                                CopyWork const& copy,
                                Route const& route,
                                bool is_cold) const {
    bool const is_within = copy.source == copy.destination;
    double ceiling = route.rate_max_Bps;
    if (task.rate_max_Bps > 0.0) {
        ceiling = std::min(ceiling, task.rate_max_Bps / route.pace);
    }
    for (MemoryPlace const place : {copy.source, copy.destination}) {
        if (place.kind == MemoryKind::gpu && !is_within) {
            ceiling = std::min(ceiling, copy_rates_[place.index] / route.pace);
        }
    }
    auto const size_bytes = static_cast<double>(copy.size_bytes) / route.pace;
    if (is_cold) {
        ceiling = lone_rate(route, ceiling) / task.cold_slowdown;
    }
    if (copy.pieces > 1) {
        // The engine adds the first launch and latency, as for any copy.
        double const between = to_seconds(task.launch + route.latency) * (copy.pieces - 1);
        ceiling = size_bytes / (size_bytes / lone_rate(route, ceiling) + between);
    }
    return Motion{route.latency, size_bytes, ceiling, &route.shares};
}

Motion WorkDemands::motion_of(std::uint32_t number, bool is_cold) {
    Task const& task = graph_.tasks[number];
    if (auto const* copy = std::get_if<CopyWork>(&task.work)) {
        return copy_motion(task, *copy, routes_[route_of_task_[number]], is_cold);
    }
    auto const timed = [](SimTime duration, double bytes, std::vector<ChannelShare> const& shares) {
        if (bytes == 0.0 || duration.ps == 0) {
            return Motion{duration, 0.0, no_ceiling, nullptr};
        }
        return Motion{SimTime{0}, bytes, bytes / to_seconds(duration), &shares};
    };
    if (auto const* kernel = std::get_if<KernelWork>(&task.work)) {
        double const slowdown = is_cold ? task.cold_slowdown : 1.0;
        SimTime const duration = from_seconds(to_seconds(kernel->duration) * slowdown);
        return timed(duration, static_cast<double>(kernel->hbm_bytes), hbm_shares_[kernel->gpu]);
    }
    if (auto const* work = std::get_if<CpuWork>(&task.work)) {
        return timed(work->duration,
                     static_cast<double>(work->memory_read_bytes + work->memory_write_bytes),
                     cpu_shares(*work));
    }
    return Motion{};
}

} // namespace keyswap::simulator
