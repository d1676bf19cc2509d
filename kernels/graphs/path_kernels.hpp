#pragma once

/// \file What starts the kernels of a search for shortest paths. All pointers are to memory of the
/// current device; lists are filled in any order.

#include "kernels/shortest_paths.hpp"

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>

namespace keyswap::kernels {

/// What a round leaves on the device for the host.
struct PathCounters {
    std::uint32_t nearest = 0;  ///< least distance of what waits afterwards; all ones = none
    std::uint32_t improved = 0; ///< vertices that became nearer
    std::uint32_t kept = 0;     ///< others that wait on; near-far: entries of the far pile
    std::uint32_t near = 0;     ///< near-far: vertices below the split
    std::uint64_t edges = 0;    ///< relaxed
    /// Of what waited, by bucket.
    std::uint64_t buckets[path_buckets] = {};
};

/// What the blocks of a split share: zero before it.
struct SplitCounters {
    std::uint32_t counts[path_buckets] = {}; ///< of all blocks
    std::uint32_t placed[path_buckets] = {}; ///< by blocks that know their places
};

/// Distances from `lower` on in buckets `delta` wide; the last one takes all that lies beyond.
struct PathBuckets {
    std::uint32_t lower = 0;
    std::uint32_t delta = 1;
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

/// The vertices whose edges a round relaxes, as the host knows them when it queues the round.
struct Frontier {
    VertexList list;
    std::uint64_t const* count = nullptr; ///< device; null = all of the list
    std::uint32_t most = 0;               ///< of the list
    std::uint64_t most_edges = 0;         ///< out of the frontier
};

/// Sets what counts edges and vertices to what it is where nothing has happened. Buckets stay.
void launch_round_start(cudaStream_t stream, PathCounters* counters);

/// Entries of launch_relax's `tile_edges` for a frontier of up to `most` vertices.
[[nodiscard]] std::size_t frontier_tiles(std::uint32_t most);

/// Blocks of launch_path_split that the current device runs at once: they wait for one another.
[[nodiscard]] unsigned path_split_blocks_max();

/// multisplit: brings a list into the order of buckets, in any order within each, by one launch:
/// blocks count, wait for one another, and place. An unstable multisplit of 10 buckets needs
/// no more (GPU Multisplit, section 4: local counts, their scan, scatter).
/// \param blocks_most path_split_blocks_max() \param list [count] \param ordered [count]
/// \param counters zero; \param next is made zero for the next split
/// \param buckets [path_buckets] of the list
void launch_path_split(cudaStream_t stream,
                       unsigned blocks_most,
                       VertexList const& list,
                       VertexList const& ordered,
                       std::uint32_t count,
                       PathBuckets const& rule,
                       SplitCounters* counters,
                       SplitCounters* next,
                       std::uint64_t* buckets);

/// Starts a round, and relaxes all edges of its frontier with the distances that stand in its list.
/// A thread takes an edge, wherever its vertex's edges begin and end.
/// \param begins [frontier.most + 1] scratch: first edge of each frontier vertex among all
/// \param tile_edges [frontier_tiles(frontier.most)] scratch: edges of so many vertices together
/// \param round its number from 1, for stamps
/// \param improved [counters->improved afterwards] each once
void launch_relax(cudaStream_t stream,
                  DevicePaths const& paths,
                  Frontier const& frontier,
                  std::uint64_t* begins,
                  std::uint32_t round,
                  std::uint32_t* improved,
                  PathCounters* counters,
                  std::uint64_t* tile_edges);

/// Ends a round by buckets. What waits on is what it improved, with new distances, and behind it
/// those of the list behind the frontier that it did not improve. The least distance is noted.
/// \param waiting its vertices begin with the improved ones
void launch_round_end(cudaStream_t stream,
                      DevicePaths const& paths,
                      Frontier const& frontier,
                      std::uint32_t round,
                      VertexList const& waiting,
                      PathCounters* counters);

/// near-far: distances of the listed vertices as they are now.
void launch_distances(cudaStream_t stream,
                      DevicePaths const& paths,
                      VertexList const& list,
                      std::uint32_t count);

/// near-far: improved vertices below `split` go to `near`, the others with their distance to the
/// far pile. Entries of the old pile whose vertex became nearer are dropped; of the others those
/// below `split` are on the near list already where this round improved anything, else they go
/// there, and the rest goes to the far pile.
/// \param improved null: the round relaxed nothing; else [counters->improved], improved_most at
/// most \param pile [pile_count]
void launch_share(cudaStream_t stream,
                  DevicePaths const& paths,
                  std::uint32_t const* improved,
                  std::uint64_t improved_most,
                  VertexList const& pile,
                  std::uint32_t pile_count,
                  std::uint64_t split,
                  std::uint32_t* near,
                  VertexList const& far,
                  PathCounters* counters);

/// near-far: the least distance on the pile.
void launch_nearest(cudaStream_t stream,
                    std::uint32_t const* distances,
                    std::uint32_t count,
                    PathCounters* counters);

} // namespace keyswap::kernels
