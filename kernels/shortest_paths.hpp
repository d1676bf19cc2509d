#pragma once

/// \file Shortest paths from one vertex on one GPU, by rounds that relax the edges of near vertices
/// together. What waits is brought into order by a multisplit, by sorting it, or by a splitting
/// distance. Rounds are synchronous: their counts depend on no order, so that they can be compared
/// with any other implementation's. Sources: GPU Multisplit (Ashkiani et al., TOPC 2017), section
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

/// A directed graph by compressed sparse rows, in host memory.
struct PathGraph {
    std::span<std::uint64_t const> offsets; ///< [vertices + 1] first edge of each vertex
    std::span<std::uint32_t const> targets; ///< [edges]
    std::span<std::uint32_t const> weights; ///< [edges]
};

enum class PathMethod {
    multisplit, ///< all that waits into 10 buckets of width Delta; the first is relaxed
    bucketing,  ///< the same by a radix sort of all that waits
    near_far    ///< those below a splitting distance are relaxed, the others pile up
};

/// "multisplit", "bucketing" or "near-far".
[[nodiscard]] Expected<PathMethod> parse_path_method(std::string_view text);

/// Buckets of multisplit and bucketing.
inline constexpr std::uint32_t path_buckets = 10;
/// Distance of a vertex that no path reaches.
inline constexpr std::uint32_t path_unreachable = std::numeric_limits<std::uint32_t>::max();

struct PathResult {
    std::vector<std::uint32_t> distances; ///< [vertices]
    std::vector<RelaxationRecord> rounds; ///< without distances
    std::uint64_t relaxed_edges = 0;
    double milliseconds = 0; ///< from the source to the last round, graph and distances on the GPU
};

class PathState;

/// Searches on one graph, which it keeps on the GPU with all memory that a search needs.
class PathFinder {
  public:
    /// \param delta width of a bucket, at least 1
    /// Refuses a graph whose rows do not fit its arrays, whose targets are not vertices, or whose
    /// longest path could overflow 32 bits (vertices x largest weight >= 2^32).
    [[nodiscard]] static SortExpected<PathFinder>
    create(PathGraph const& graph, PathMethod method, std::uint32_t delta, int device = 0);
    PathFinder(PathFinder&&) noexcept;
    PathFinder& operator=(PathFinder&&) noexcept;
    ~PathFinder();

    /// \param source a vertex; another number is refused
    [[nodiscard]] SortExpected<PathResult> find(std::uint32_t source);

  private:
    explicit PathFinder(std::unique_ptr<PathState> state);
    std::unique_ptr<PathState> state_;
};

} // namespace keyswap::kernels
