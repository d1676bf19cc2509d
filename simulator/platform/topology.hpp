#pragma once

/// \file A platform as a network: directed capacities ("channels") and the route between any two
/// memories. A channel is one direction of a link, the total of both where a link limits it, a
/// port of a host memory, or a GPU's HBM.

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
    double capacity_Bps = 0.0; ///< effective: bandwidth times efficiency
};

/// Channels from memory to memory, each with the bytes that a byte of the copy costs there.
struct Route {
    std::vector<ChannelShare> shares;
    std::vector<std::uint32_t> links; ///< indices into Platform::links, in order
    SimTime latency;                  ///< sum over links
    /// What one copy reaches, whatever is left of the channels.
    double rate_max_Bps = std::numeric_limits<double>::infinity();
    double pace = 1.0; ///< rates and shares are in units of so many bytes
};

class Topology {
  public:
    /// \return an error for the first reference to an unknown node or link
    [[nodiscard]] static Expected<Topology> of(Platform const& platform);

    [[nodiscard]] std::vector<Channel> const& channels() const { return channels_; }
    [[nodiscard]] std::vector<double> capacities() const;

    /// Fewest hops (a CPU in between counts as one more, for its root complex; GPUs do not
    /// forward), then the widest narrowest link, then the lowest link in the file.
    /// Within one memory a route crosses that memory twice; of interleaved memory, every node's
    /// route carries its part of each byte. \pre has(source), has(destination)
    /// \return nothing where no way exists
    [[nodiscard]] std::optional<Route>
    route(MemoryPlace source, MemoryPlace destination, CopyExtent extent = CopyExtent::whole) const;

    [[nodiscard]] bool has(MemoryPlace place) const;
    /// Whether route gives one.
    [[nodiscard]] bool is_connected(MemoryPlace source, MemoryPlace destination) const;

    /// How many links that route crosses; nullopt where there is none.
    /// \pre has(source), has(destination), neither is interleaved
    [[nodiscard]] std::optional<std::size_t> link_count(MemoryPlace source,
                                                        MemoryPlace destination) const;

    [[nodiscard]] std::uint32_t hbm_channel(std::uint32_t gpu) const { return hbm_[gpu]; }
    [[nodiscard]] std::uint32_t read_channel(std::uint32_t cpu) const { return read_[cpu]; }
    [[nodiscard]] std::uint32_t write_channel(std::uint32_t cpu) const { return write_[cpu]; }
    [[nodiscard]] std::optional<std::uint32_t> total_channel(std::uint32_t cpu) const {
        return total_[cpu];
    }
    /// Bytes of the total channel that a written byte takes.
    [[nodiscard]] double write_cost(std::uint32_t cpu) const { return write_cost_[cpu]; }
    /// Bytes of a link that a byte of a copy from (or to) host memory takes where copies of several
    /// GPUs share it.
    [[nodiscard]] double shared_cost(std::uint32_t link, bool to_host) const {
        return to_host ? shared_costs_[link].write : shared_costs_[link].read;
    }
    /// The same of one such copy, whichever way it is made.
    [[nodiscard]] double copy_cost(std::uint32_t link, CopyExtent extent, bool to_host) const {
        return extent == CopyExtent::piece ? piece_costs_[link]
               : to_host                   ? whole_costs_[link]
                                           : 1.0;
    }
    /// Most bytes a second that one GPU reads of host memory over the link, alone or beside others.
    [[nodiscard]] double read_rate_max_Bps(std::uint32_t link, bool is_alone) const {
        return is_alone ? single_rates_[link].lone_read : single_rates_[link].read;
    }
    /// Channels of a link's direction: its own, and the shared total where there is one.
    [[nodiscard]] std::vector<std::uint32_t> link_channels(std::uint32_t link, bool backward) const;

  private:
    struct Hop {
        std::uint32_t link;
        std::uint32_t neighbour; ///< node
        bool backward;
    };
    struct Arrival {
        std::uint32_t hops = 0; ///< 0 = not reached
        double width = 0.0;     ///< narrowest link so far
        std::uint32_t previous = 0;
        std::uint32_t link = 0;
        bool backward = false;
    };
    struct LinkChannels {
        std::uint32_t forward;
        std::uint32_t backward;
        std::optional<std::uint32_t> total;
    };
    struct SharedCosts {
        double read = 1.0;
        double write = 1.0;
    };
    /// Most bytes a second of one GPU.
    struct SingleRates {
        double read = 0.0;
        double lone_read = 0.0;
    };
    using Step = std::pair<std::uint32_t, bool>; ///< link, backward

    void add_node_channels(Platform const& platform);
    void add_link_channels(Platform const& platform);
    std::optional<InputError> connect(Platform const& platform);
    std::optional<InputError> add_given_routes(Platform const& platform);
    [[nodiscard]] std::vector<Arrival> arrivals_from(std::uint32_t source) const;
    [[nodiscard]] std::optional<std::vector<Step>> path(std::uint32_t source,
                                                        std::uint32_t destination) const;
    [[nodiscard]] std::uint32_t node_of(MemoryPlace place) const;
    /// The memories that a place stands for: those of an interleaved one's nodes, or itself.
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
    std::vector<LinkChannels> link_channels_;
    std::vector<SimTime> latencies_;  ///< by link
    std::vector<double> piece_costs_; ///< by link: bytes that a byte of a copy in pieces takes
    std::vector<double> whole_costs_; ///< by link: the same of a copy to host memory in one piece
    std::vector<SharedCosts> shared_costs_; ///< by link
    std::vector<SingleRates> single_rates_; ///< by link
    /// By link where one GPU's arrivals are bounded: their channels [gpu].
    std::map<std::uint32_t, std::vector<std::uint32_t>> peer_arrivals_;
    std::uint32_t cpu_count_ = 0; ///< nodes are numbered CPUs, GPUs, switches
    std::uint32_t gpu_count_ = 0;
    std::vector<std::vector<Hop>> hops_;         ///< by node
    std::vector<std::vector<Arrival>> arrivals_; ///< [memory node][node]
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::vector<Step>> given_;
};

} // namespace keyswap::simulator
