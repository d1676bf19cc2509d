#pragma once

/// \file A graph on a GPU, the memory of a search, and the rounds of all methods.

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
    /// Uploads the graph to the current device. \throws CudaFailure
    PathState(PathGraph const& graph, PathMethod method, std::uint32_t delta, int device);

    [[nodiscard]] int device() const { return device_; }
    [[nodiscard]] std::uint32_t vertex_count() const { return vertex_count_; }

    /// \throws CudaFailure
    [[nodiscard]] PathResult find(std::uint32_t source);

  private:
    /// A vertex list with its own memory.
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
    /// Orders `count` pending vertices by bucket, from distance `lower` on.
    void reorganise(std::uint32_t round, std::uint32_t count, std::uint32_t lower);
    /// Upper bound on the edges out of `count` vertices.
    [[nodiscard]] std::uint64_t edges_of(std::uint32_t count) const;
    void relax(Frontier const& frontier, std::uint32_t round, std::uint32_t* improved);
    /// Waits for the round and reads its counters.
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
    ListMemory waiting_; ///< near-far: near vertices, with distances at the round's start
    ListMemory ordered_; ///< near-far: the far pile
    ListMemory next_;    ///< near-far: the far pile after the round
    DeviceBuffer<std::uint64_t> begins_; ///< [vertices + 1] prefix sums of a frontier's degrees
    DeviceBuffer<PathCounters> counters_;
    PinnedBuffer<PathCounters> host_counters_;
    DeviceBuffer<std::uint64_t> tile_edges_;     ///< edges per tile of a frontier
    DeviceBuffer<std::byte> sort_temp_;          ///< bucketing only
    DeviceBuffer<SplitCounters> split_counters_; ///< [2] this round's and the next one's
    unsigned split_blocks_;
    DeviceRule rule_; ///< buckets from distance 0 on
};

} // namespace keyswap::kernels
