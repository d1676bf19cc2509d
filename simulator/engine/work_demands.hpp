#pragma once

/// \file What a task takes while it works: a place in a pool (a copy engine, SMs, cores) and bytes
/// that flow over channels, after a delay.

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
    std::uint32_t amount = 0; ///< 0 = needs none
};

/// Bytes that flow for a task after a delay; no bytes: the delay is all.
struct Motion {
    SimTime delay;
    double size_bytes = 0.0;
    double ceiling_Bps = no_ceiling;
    std::vector<ChannelShare> const* shares = nullptr;
};

/// The demands of a graph's tasks on a platform. Routes are looked up once for each pair of places.
class WorkDemands {
  public:
    /// All three must outlive it. \param topology of the same platform
    WorkDemands(TaskGraph const& graph, Platform const& platform, Topology const& topology);

    /// By pool: what is free at first. A GPU has four: copy engines to the device, to the host and
    /// between GPUs, and SMs in millionths; a NUMA node has one, its cores in millionths.
    [[nodiscard]] std::vector<std::uint64_t> pool_sizes() const;

    /// Prepares the graph's next task. \return what it names that the platform lacks
    [[nodiscard]] std::optional<InputError> admit_next();

    /// \pre task was admitted
    [[nodiscard]] Claim claim_of(std::uint32_t task) const { return claims_[task]; }
    /// \param is_cold the GPUs have not reached their full clocks: the task's slowdown counts
    /// \pre the task of that number was admitted. The shares are valid until the next call.
    [[nodiscard]] Motion motion_of(std::uint32_t number, bool is_cold);

  private:
    /// Counts the GPUs whose copies from, and to, host memory cross each link, and finds the most
    /// that one of its reads reaches alone.
    void count_host_users();
    /// Makes the links dearer that copies of several GPUs share on their way from or to the host,
    /// and slows down reads from afar. \pre the copy is between a GPU and host memory
    void charge_sharing(CopyWork const& copy, Route& route) const;
    /// A memory serves reads as they are asked for, so that a copy gets of it in proportion to what
    /// it reaches alone. Shares are max-min fair, so that its bytes are counted in a unit of its
    /// own. Writes wait in buffers before the memory, and share it evenly. \pre the copy is from
    /// host memory to a GPU
    void weigh_by_demand(CopyWork const& copy, Route& route);
    /// Most bytes a second of a flow that has its route to itself.
    [[nodiscard]] double lone_rate(Route const& route, double ceiling) const;
    [[nodiscard]] Motion
    copy_motion(Task const& task, CopyWork const& copy, Route const& route, bool is_cold) const;
    [[nodiscard]] std::vector<ChannelShare> const& cpu_shares(CpuWork const& work);
    [[nodiscard]] Claim claim_for(Task const& task) const;
    /// Looks its route up for the first copy of two places. \return its number, none without one
    [[nodiscard]] std::optional<std::uint32_t> route_number(CopyWork const& copy);

    struct RouteKey {
        MemoryPlace source;
        MemoryPlace destination;
        CopyExtent extent = CopyExtent::whole;
        friend auto operator<=>(RouteKey const&, RouteKey const&) = default;
    };
    struct RouteHash {
        [[nodiscard]] std::size_t operator()(RouteKey const& key) const;
    };

    TaskGraph const& graph_;
    Platform const& platform_;
    Topology const& topology_;
    std::size_t gpu_count_;
    std::vector<double> copy_rates_;           ///< by GPU, most bytes a second
    std::vector<Claim> claims_;                ///< by task
    std::vector<std::uint32_t> route_of_task_; ///< in routes_, of copies
    std::vector<Route> routes_;
    std::unordered_map<RouteKey, std::uint32_t, RouteHash> route_numbers_; ///< never iterated
    std::optional<std::pair<RouteKey, std::uint32_t>> last_route_;         ///< copies come in rows
    /// By link and whether the copies go to the host.
    std::map<std::pair<std::uint32_t, bool>, std::set<std::uint32_t>> host_users_;
    std::map<MemoryPlace, double> fastest_reads_;       ///< of each host memory, alone
    std::vector<std::vector<ChannelShare>> hbm_shares_; ///< by GPU
    std::vector<ChannelShare> cpu_shares_;              ///< of the CPU task that was asked for last
};

} // namespace keyswap::simulator
