#pragma once

/// \file A graph on a GPU with what a search on it needs, and the rounds of the methods.

#include "kernels/device/device_buffer.hpp"
#include "kernels/device/stream.hpp"
#include "kernels/graphs/path_kernels.hpp"
#include "kernels/multisplit/device_rule.hpp"
#include "kernels/shortest_paths.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace keyswap::kernels {

class PathState {
  public:
    /// Copies the graph to the current device. \throws CudaFailure
    PathState(PathGraph const& graph, PathMethod method, std::uint32_t delta, int device);

    [[nodiscard]] int device() const { return device_; }
    [[nodiscard]] std::uint32_t vertex_count() const { return vertex_count_; }

    /// \throws CudaFailure
    [[nodiscard]] PathResult find(std::uint32_t source);

  private:
    /// Vertices with a distance each, in memory of their own.
    struct ListMemory {
        DeviceBuffer<std::uint32_t> vertices;
        DeviceBuffer<std::uint32_t> distances;

        ListMemory(int device, std::size_t count)
            : vertices(device, count), distances(device, count) {}
        [[nodiscard]] VertexList list() const { return {vertices.data(), distances.data()}; }
    };

    [[nodiscard]] DevicePaths paths() const;
    void start(std::uint32_t source);
    void search_by_buckets(PathResult& result);
    void search_near_first(PathResult& result);
    /// Brings `count` waiting vertices into order; those of the first bucket lead.
    void reorganise(std::uint32_t round, std::uint32_t count, std::uint32_t lower);
    /// Edges out of so many vertices at most.
    [[nodiscard]] std::uint64_t edges_of(std::uint32_t count) const;
    void relax(Frontier const& frontier, std::uint32_t round, std::uint32_t* improved);
    /// Waits for the round, and reads what it left.
    PathCounters counters();

    int device_;
    PathMethod method_;
    std::uint32_t delta_;
    std::uint32_t vertex_count_;
    std::uint64_t edge_count_;
    std::uint64_t degree_max_;
    Stream stream_;
    DeviceBuffer<std::uint64_t> offsets_; ///< [vertices + 1]
    DeviceBuffer<std::uint32_t> targets_; ///< [edges]
    DeviceBuffer<std::uint32_t> weights_; ///< [edges]
    DeviceBuffer<std::uint32_t> distances_;
    DeviceBuffer<std::uint32_t> stamps_;
    ListMemory waiting_; ///< near-far: what is near; distances are those at the round's start
    ListMemory ordered_; ///< near-far: the pile
    ListMemory next_;    ///< near-far: the pile after the round
    DeviceBuffer<std::uint64_t> begins_; ///< [vertices + 1] of a frontier's edges
    DeviceBuffer<PathCounters> counters_;
    PinnedBuffer<PathCounters> host_counters_;
    DeviceBuffer<std::uint64_t> tile_edges_;     ///< of a frontier
    DeviceBuffer<std::byte> sort_temp_;          ///< of bucketing
    DeviceBuffer<SplitCounters> split_counters_; ///< [2] of this round and the next
    unsigned split_blocks_;
    DeviceRule rule_; ///< of buckets from distance 0 on
};

} // namespace keyswap::kernels
