#pragma once

/// \file Launchers of the kernels for shortest paths. All pointers are to memory of the current
/// device; lists are unordered.

#include "kernels/shortest_paths.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// Result of a round, which the host reads.
struct PathCounters {
    std::uint32_t nearest = 0;  ///< smallest pending distance after the round; all ones if none
    std::uint32_t improved = 0; ///< vertices that became nearer
    std::uint32_t kept = 0;     ///< other vertices still pending; near-far: size of the far pile
    std::uint32_t near = 0;     ///< near-far: vertices below the split
    std::uint64_t edges = 0;    ///< relaxed edges
    /// Pending vertices at the start of the round, by bucket.
    std::uint64_t buckets[path_buckets] = {};
};

/// Counters shared by the blocks of a split; zero before it.
struct SplitCounters {
    std::uint32_t counts[path_buckets] = {}; ///< vertices counted by all blocks
    std::uint32_t placed[path_buckets] = {}; ///< vertices whose positions are assigned
};

/// Buckets of width `delta` from distance `lower` on; the last bucket has no upper bound.
struct PathBuckets {
    std::uint32_t lower = 0;
    std::uint32_t delta = 1;
};

/// The graph and the current distances.
struct DevicePaths {
    std::uint64_t const* offsets = nullptr; ///< [vertices + 1]
    std::uint32_t const* targets = nullptr;
    std::uint32_t const* weights = nullptr;
    std::uint32_t* distances = nullptr; ///< [vertices]
    std::uint32_t* stamps = nullptr;    ///< [vertices] last round that improved the vertex
};

/// Vertices and their distances.
struct VertexList {
    std::uint32_t* vertices = nullptr;
    std::uint32_t* distances = nullptr;
};

/// The vertices whose edges a round relaxes, with upper bounds known to the host.
struct Frontier {
    VertexList list;
    std::uint64_t const* count = nullptr; ///< device: number of vertices; null: all of the list
    std::uint32_t most = 0;               ///< size of the list
    std::uint64_t most_edges = 0;         ///< most edges out of the frontier
};

/// Resets the counters of edges, vertices and the smallest distance, but not those of buckets.
void launch_round_start(cudaStream_t stream, PathCounters* counters);

/// Size of launch_relax's `tile_edges` for a frontier of up to `most` vertices.
[[nodiscard]] std::size_t frontier_tiles(std::uint32_t most);

/// Largest grid of launch_path_split: all its blocks must be resident, as they wait for each other.
[[nodiscard]] unsigned path_split_blocks_max();

/// multisplit: orders a list by bucket, unstably, in one launch: blocks count, wait for each other,
/// and place. An unstable multisplit into 10 buckets needs no more (GPU Multisplit, section 4:
/// local counts, their scan, scatter).
/// \param blocks_most path_split_blocks_max() \param list [count] \param ordered [count]
/// \param counters zero; \param next is set to zero, for the next split
/// \param buckets [path_buckets] receives the vertices per bucket
void launch_path_split(cudaStream_t stream,
                       unsigned blocks_most,
                       VertexList const& list,
                       VertexList const& ordered,
                       std::uint32_t count,
                       PathBuckets const& rule,
                       SplitCounters* counters,
                       SplitCounters* next,
                       std::uint64_t* buckets);

/// Starts a round and relaxes all edges of its frontier, using the distances in the frontier's
/// list. Threads handle edges rather than vertices, for load balance.
/// \param begins [frontier.most + 1] scratch: prefix sums of the frontier vertices' degrees
/// \param tile_edges [frontier_tiles(frontier.most)] scratch: edges per tile of vertices
/// \param round number from 1, for stamps
/// \param improved receives the counters->improved improved vertices, each once
void launch_relax(cudaStream_t stream,
                  DevicePaths const& paths,
                  Frontier const& frontier,
                  std::uint64_t* begins,
                  std::uint32_t round,
                  std::uint32_t* improved,
                  PathCounters* counters,
                  std::uint64_t* tile_edges);

/// Ends a round of a bucket method. The new pending list holds the improved vertices with their new
/// distances, then the vertices behind the frontier that were not improved. Sets counters->nearest.
/// \param waiting in: vertices begin with the improved ones; out: the pending list
void launch_round_end(cudaStream_t stream,
                      DevicePaths const& paths,
                      Frontier const& frontier,
                      std::uint32_t round,
                      VertexList const& waiting,
                      PathCounters* counters);

/// near-far: reads the current distances of the listed vertices.
void launch_distances(cudaStream_t stream,
                      DevicePaths const& paths,
                      VertexList const& list,
                      std::uint32_t count);

/// near-far: moves improved vertices below `split` to `near`, others with their distances to `far`.
/// Drops entries of the old pile whose vertex has improved. Moves the remaining entries from
/// `split` on to `far`; those below it to `near` only if the round relaxed nothing, since otherwise
/// they are already there.
/// \param improved [counters->improved], at most improved_max; null if the round relaxed nothing
/// \param pile [pile_count]
void launch_share(cudaStream_t stream,
                  DevicePaths const& paths,
                  std::uint32_t const* improved,
                  std::uint64_t improved_max,
                  VertexList const& pile,
                  std::uint32_t pile_count,
                  std::uint64_t split,
                  std::uint32_t* near,
                  VertexList const& far,
                  PathCounters* counters);

/// near-far: sets counters->nearest to the smallest distance on the pile.
void launch_nearest(cudaStream_t stream,
                    std::uint32_t const* distances,
                    std::uint32_t count,
                    PathCounters* counters);

} // namespace keyswap::kernels
