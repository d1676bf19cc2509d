#pragma once

/// \file Shortest paths from one vertex on one GPU, in rounds that relax the edges of near vertices
/// together. Pending vertices are ordered by a multisplit, by a radix sort, or by a splitting
/// distance. Rounds are synchronous: their counts are independent of thread order and so comparable
/// with any other implementation. Sources: GPU Multisplit (Ashkiani et al., TOPC 2017), section
/// 7.2; Davidson et al.: Work-efficient parallel GPU methods for single-source shortest paths,
/// IPDPS 2014. No CUDA header is needed.

#include "kernels/sort.hpp"
#include "traces/records/records.hpp"

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::kernels {

/// A directed graph in compressed sparse row format, in host memory.
struct PathGraph {
    std::span<std::uint64_t const> offsets; ///< [vertices + 1] first edge of each vertex
    std::span<std::uint32_t const> targets; ///< [edges]
    std::span<std::uint32_t const> weights; ///< [edges]
};

enum class PathMethod {
    multisplit, ///< pending vertices into 10 buckets of width Delta; the first is relaxed
    bucketing,  ///< the same buckets by a radix sort
    near_far    ///< relaxes vertices below a splitting distance; the rest form a pile
};

/// Parses "multisplit", "bucketing" or "near-far".
[[nodiscard]] Expected<PathMethod> parse_path_method(std::string_view text);

/// Buckets of the methods multisplit and bucketing.
inline constexpr std::uint32_t path_buckets = 10;
/// Distance of an unreachable vertex.
inline constexpr std::uint32_t path_unreachable = std::numeric_limits<std::uint32_t>::max();

struct PathResult {
    std::vector<std::uint32_t> distances; ///< [vertices]
    std::vector<RelaxationRecord> rounds; ///< without distances
    std::uint64_t relaxed_edges = 0;
    double milliseconds = 0; ///< from source to last round, without uploads and downloads
};

class PathState;

/// Searches on one graph; holds it on the GPU, along with all memory that a search needs.
class PathFinder {
  public:
    /// \param delta width of a bucket, at least 1
    /// Rejects a graph with row offsets out of range, targets that are not vertices, or path
    /// lengths that could overflow 32 bits (vertices x largest weight >= 2^32).
    [[nodiscard]] static SortExpected<PathFinder>
    create(PathGraph const& graph, PathMethod method, std::uint32_t delta, int device = 0);
    PathFinder(PathFinder&&) noexcept;
    PathFinder& operator=(PathFinder&&) noexcept;
    ~PathFinder();

    /// \param source a vertex; an error if out of range
    [[nodiscard]] SortExpected<PathResult> find(std::uint32_t source);

  private:
    explicit PathFinder(std::unique_ptr<PathState> state);
    std::unique_ptr<PathState> state_;
};

} // namespace keyswap::kernels
