#pragma once

/// \file A platform as a network of directed capacities ("channels") with a route between any two
/// memories. A channel is one direction of a link, the total of both directions if a link limits
/// it, a read or write port of a host memory, or a GPU's HBM.

#include "simulator/platform/channel_share.hpp"
#include "simulator/platform/memory_place.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/sim_time.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::simulator {

struct Channel {
    std::string name;
    double capacity_Bps = 0.0; ///< bandwidth times efficiency
};

/// Channels from source to destination, each with the bytes it carries per byte of the copy.
struct Route {
    std::vector<ChannelShare> shares;
    std::vector<std::uint32_t> links; ///< indices into Platform::links, in order
    SimTime latency;                  ///< sum over links; of interleaved memory, the slowest part's
    /// Ceiling of a single copy, even if its channels have more capacity left.
    double rate_max_Bps = std::numeric_limits<double>::infinity();
    double pace = 1.0; ///< unit of rates and shares, in bytes
};

class Topology {
  public:
    /// \return an error for the first link or route that names an unknown node or link
    [[nodiscard]] static Expected<Topology> of(Platform const& platform);

    [[nodiscard]] std::vector<Channel> const& channels() const { return channels_; }
    [[nodiscard]] std::vector<double> capacities() const;

    /// The given route if there is one, else the path of fewest hops (a CPU in between adds a hop,
    /// for its root complex; GPUs do not forward), then of the widest bottleneck, then of the
    /// lowest link number. Within one memory a route crosses that memory twice; interleaved memory
    /// spreads each byte over the routes of its nodes. \pre has(source), has(destination)
    /// \return nullopt if they are not connected
    [[nodiscard]] std::optional<Route>
    route(MemoryPlace source, MemoryPlace destination, CopyExtent extent = CopyExtent::whole) const;

    [[nodiscard]] bool has(MemoryPlace place) const;
    /// True if route() finds a route. \pre has() both, neither is interleaved
    [[nodiscard]] bool is_connected(MemoryPlace source, MemoryPlace destination) const;

    /// Number of links on the route; nullopt if there is none.
    /// \pre has(source), has(destination), neither is interleaved
    [[nodiscard]] std::optional<std::size_t> link_count(MemoryPlace source,
                                                        MemoryPlace destination) const;

    [[nodiscard]] std::uint32_t hbm_channel(std::uint32_t gpu) const { return hbm_[gpu]; }
    [[nodiscard]] std::uint32_t read_channel(std::uint32_t cpu) const { return read_[cpu]; }
    [[nodiscard]] std::uint32_t write_channel(std::uint32_t cpu) const { return write_[cpu]; }
    [[nodiscard]] std::optional<std::uint32_t> total_channel(std::uint32_t cpu) const {
        return total_[cpu];
    }
    /// Bytes of the total channel per written byte.
    [[nodiscard]] double write_cost(std::uint32_t cpu) const { return write_cost_[cpu]; }
    /// Bytes of a link per byte of a copy from (or to) host memory if copies of several GPUs share
    /// the link.
    [[nodiscard]] double shared_cost(std::uint32_t link, bool to_host) const {
        return to_host ? links_[link].shared_write_cost : links_[link].shared_read_cost;
    }
    /// The same without sharing; depends on whether the copy is whole or a piece.
    [[nodiscard]] double copy_cost(std::uint32_t link, CopyExtent extent, bool to_host) const {
        return extent == CopyExtent::piece ? links_[link].piece_cost
               : to_host                   ? links_[link].whole_write_cost
                                           : 1.0;
    }
    /// Most bytes per second of host memory that a GPU reads over the link, alone or with others.
    [[nodiscard]] double read_rate_max_Bps(std::uint32_t link, bool is_alone) const {
        return is_alone ? links_[link].lone_read_Bps : links_[link].single_read_Bps;
    }
    /// Channels of one direction of a link: its own, then the shared total if there is one.
    [[nodiscard]] std::vector<std::uint32_t> link_channels(std::uint32_t link, bool backward) const;

  private:
    struct Hop {
        std::uint32_t link;
        std::uint32_t neighbour; ///< node number
        bool backward;
    };
    struct Arrival {
        std::uint32_t hops = 0; ///< 0 = not reached, or the source
        double width = 0.0;     ///< bottleneck so far, bytes per second
        std::uint32_t previous = 0;
        std::uint32_t link = 0;
        bool backward = false;
    };
    /// A link: its channels, and costs in bytes per byte of a copy.
    struct ModelledLink {
        std::uint32_t forward = 0;
        std::uint32_t backward = 0;
        std::optional<std::uint32_t> total;
        SimTime latency;
        double piece_cost = 1.0;
        double whole_write_cost = 1.0; ///< of a whole copy to host memory
        double shared_read_cost = 1.0;
        double shared_write_cost = 1.0;
        double single_read_Bps = 0.0; ///< ceiling of one GPU's reads
        double lone_read_Bps = 0.0;   ///< likewise, if no other GPU copies
    };
    using Step = std::pair<std::uint32_t, bool>;                           ///< link, is backward
    using NodeNumbers = std::map<std::string, std::uint32_t, std::less<>>; ///< by name

    std::uint32_t add_channel(std::string name, double capacity_Bps);
    void add_node_channels(Platform const& platform);
    void add_link_channels(Platform const& platform);
    std::optional<InputError> connect(Platform const& platform, NodeNumbers const& numbers);
    std::optional<InputError> add_given_routes(Platform const& platform,
                                               NodeNumbers const& numbers);
    [[nodiscard]] std::vector<Arrival> arrivals_from(std::uint32_t source) const;
    [[nodiscard]] std::optional<std::vector<Step>> path(std::uint32_t source,
                                                        std::uint32_t destination) const;
    [[nodiscard]] std::uint32_t node_of(MemoryPlace place) const;
    /// Resolves interleaved memory into the host memories of its machine; other places into one.
    [[nodiscard]] std::vector<MemoryPlace> parts_of(MemoryPlace place) const;
    [[nodiscard]] std::optional<Route>
    part_route(MemoryPlace source, MemoryPlace destination, CopyExtent extent) const;

    std::vector<Channel> channels_;
    std::vector<std::uint32_t> hbm_;
    std::vector<std::uint32_t> read_;
    std::vector<std::uint32_t> write_;
    std::vector<std::optional<std::uint32_t>> total_;
    std::vector<double> write_cost_;
    std::map<std::uint32_t, std::vector<std::uint32_t>> machine_nodes_; ///< NUMA nodes by machine
    std::vector<ModelledLink> links_;
    /// Only links with efficiency_single_peer < 1: the channels of arrivals, [gpu].
    std::map<std::uint32_t, std::vector<std::uint32_t>> peer_arrivals_;
    std::uint32_t cpu_count_ = 0; ///< nodes are numbered CPUs, then GPUs, then switches
    std::uint32_t gpu_count_ = 0;
    std::vector<std::vector<Hop>> hops_;         ///< by node
    std::vector<std::vector<Arrival>> arrivals_; ///< [memory node][node]
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Step>> given_;
};

} // namespace keyswap::simulator
