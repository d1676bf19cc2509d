#pragma once

/// \file What starts the kernels of a search for shortest paths. All pointers are to memory of the
/// current device; lists are filled in any order.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Counters of a round on the device.
struct PathCounters {
    std::uint32_t nearest = 0;  ///< least distance of what waits afterwards; all ones = none
    std::uint32_t improved = 0; ///< vertices that became nearer
    std::uint32_t kept = 0;     ///< others that wait on; near-far: entries of the far pile
    std::uint32_t near = 0;     ///< near-far: vertices below the split
    std::uint64_t edges = 0;    ///< relaxed
};

/// The graph with the distances so far.
struct DevicePaths {
    std::uint64_t const* offsets = nullptr; ///< [vertices + 1]
    std::uint32_t const* targets = nullptr;
    std::uint32_t const* weights = nullptr;
    std::uint32_t* distances = nullptr; ///< [vertices]
    std::uint32_t* stamps = nullptr;    ///< [vertices] the last round that improved it
};

/// Vertices with a distance each.
struct VertexList {
    std::uint32_t* vertices = nullptr;
    std::uint32_t* distances = nullptr;
};

/// Sets all counters to those of a round in which nothing has happened.
void launch_round_start(cudaStream_t stream, PathCounters* counters);

/// Distances of the listed vertices as they are now.
void launch_distances(cudaStream_t stream,
                      DevicePaths const& paths,
                      VertexList const& list,
                      std::uint32_t count);

/// The same of improved + kept vertices, and the least of them.
/// \param most that improved + kept can be
void launch_waiting_distances(cudaStream_t stream,
                              DevicePaths const& paths,
                              VertexList const& list,
                              std::uint32_t most,
                              PathCounters* counters);

/// Temporary memory of launch_relax for a frontier of up to `count` vertices.
[[nodiscard]] std::size_t relax_temp_bytes(std::uint32_t count);

/// Relaxes all edges of a frontier with the distances that stand in its list. A thread takes an
/// edge, wherever its vertex's edges begin and end.
/// \param begins [count + 1] scratch: first edge of each frontier vertex among all
/// \param round its number from 1, for stamps
/// \param improved [counters->improved afterwards] each once
void launch_relax(cudaStream_t stream,
                  DevicePaths const& paths,
                  VertexList const& frontier,
                  std::uint32_t count,
                  std::uint64_t* begins,
                  std::uint32_t round,
                  std::uint32_t* improved,
                  PathCounters* counters,
                  void* temp,
                  std::size_t temp_bytes);

/// Appends those of `rest` that the round did not improve behind the improved ones.
void launch_keep_rest(cudaStream_t stream,
                      DevicePaths const& paths,
                      std::uint32_t const* rest,
                      std::uint32_t count,
                      std::uint32_t round,
                      std::uint32_t* waiting,
                      PathCounters* counters);

/// near-far: improved vertices below `split` go to `near`, the others with their distance to the
/// pile. \param most that improved can be
void launch_share_improved(cudaStream_t stream,
                           DevicePaths const& paths,
                           std::uint32_t const* improved,
                           std::uint32_t most,
                           std::uint64_t split,
                           std::uint32_t* near,
                           VertexList const& far,
                           PathCounters* counters);

/// near-far: entries whose vertex became nearer are dropped; of the others those below `split` are
/// dropped too, or go to `near` where there is one, and the rest goes to the new pile.
/// \param near null: they are on the near list already
void launch_share_pile(cudaStream_t stream,
                       DevicePaths const& paths,
                       VertexList const& pile,
                       std::uint32_t count,
                       std::uint64_t split,
                       std::uint32_t* near,
                       VertexList const& far,
                       PathCounters* counters);

/// The least distance on the pile.
void launch_nearest(cudaStream_t stream,
                    std::uint32_t const* distances,
                    std::uint32_t count,
                    PathCounters* counters);

} // namespace keyswap::kernels
