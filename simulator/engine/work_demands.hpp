#pragma once

/// \file Resources of a task while it works: a place in a pool (copy engine, SMs, cores), and bytes
/// that flow over channels after a delay.

#include "simulator/engine/task_graph.hpp"
#include "simulator/network/max_min.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/sim_time.hpp"
#include "simulator/platform/topology.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace keyswap::simulator {

struct Claim {
    std::uint32_t pool = 0;
    std::uint32_t amount = 0; ///< 0 = no claim
};

/// Bytes that flow for a task after a delay; with 0 bytes the delay is the whole work.
struct Motion {
    SimTime delay;
    double size_bytes = 0.0;
    double ceiling_Bps = no_ceiling;
    std::vector<ChannelShare> const* shares = nullptr;
};

/// Demands of a graph's tasks on a platform. Finds the route of each pair of memories once.
class WorkDemands {
  public:
    /// The arguments must outlive the object. \param topology made from the same platform
    WorkDemands(TaskGraph const& graph, Platform const& platform, Topology const& topology);

    /// Initial capacity of each pool. A GPU has four: copy engines to the device, to the host and
    /// between GPUs, and SMs in millionths; then each NUMA node has one: cores in millionths.
    [[nodiscard]] std::vector<std::uint64_t> pool_sizes() const;

    /// Prepares the graph's next task. \return an error if the platform lacks what the task names
    [[nodiscard]] std::optional<InputError> admit_next();

    /// \pre task was admitted
    [[nodiscard]] Claim claim_of(std::uint32_t task) const { return claims_[task]; }
    /// \param is_cold the GPUs are below full clocks, so the task's cold_slowdown applies
    /// \pre task `number` was admitted. The shares are valid until the next call.
    [[nodiscard]] Motion motion_of(std::uint32_t number, bool is_cold);

  private:
    /// Counts the GPUs whose copies from, and to, host memory use each link, and finds the fastest
    /// read of each host memory by a single copy.
    void count_host_users();
    /// Raises the cost of links that copies of several GPUs from or to host memory share, and caps
    /// reads over long paths. \pre the copy is between a GPU and host memory
    void charge_sharing(CopyWork const& copy, Route& route) const;
    /// A host memory serves reads in order of request: competing copies get shares proportional
    /// to their lone rates. Max-min shares are equal, so a copy's bytes count in a unit of its
    /// own (Route::pace). Buffered writes do share it equally. \pre a copy from host memory to a
    /// GPU
    void weigh_by_demand(CopyWork const& copy, Route& route);
    /// Bytes per second of a flow that runs alone on its route.
    [[nodiscard]] double lone_rate(Route const& route, double ceiling) const;
    [[nodiscard]] Motion
    copy_motion(Task const& task, CopyWork const& copy, Route const& route, bool is_cold) const;
    [[nodiscard]] std::vector<ChannelShare> const& cpu_shares(CpuWork const& work);
    [[nodiscard]] Claim claim_for(Task const& task) const;
    /// Index in routes_; finds the route on first use of a pair. \return nullopt if unconnected
    [[nodiscard]] std::optional<std::uint32_t> route_number(CopyWork const& copy);

    /// A pair of memories and the extent of a copy between them, in one number.
    using RouteKey = std::uint64_t;

    TaskGraph const& graph_;
    Platform const& platform_;
    Topology const& topology_;
    std::size_t gpu_count_;
    std::vector<double> copy_rates_;           ///< by GPU: ceiling of a copy, bytes per second
    std::vector<Claim> claims_;                ///< by task
    std::vector<std::uint32_t> route_of_task_; ///< by task: index in routes_; 0 if not a copy
    std::vector<Route> routes_;
    std::unordered_map<RouteKey, std::uint32_t> route_numbers_;    ///< never iterated
    std::optional<std::pair<RouteKey, std::uint32_t>> last_route_; ///< often the next
    /// [link, is to host]: GPUs with such copies over the link.
    std::map<std::pair<std::uint32_t, bool>, std::set<std::uint32_t>> host_users_;
    std::map<MemoryPlace, double> fastest_reads_;       ///< lone rate, by host memory
    std::vector<std::vector<ChannelShare>> hbm_shares_; ///< by GPU
    std::vector<ChannelShare> cpu_shares_;              ///< of the latest CPU task
};

} // namespace keyswap::simulator
