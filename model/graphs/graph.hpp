#pragma once

#include "traces/errors/input_error.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::model {

/// Maximum number of vertices: 512 MiB of offsets.
inline constexpr std::uint64_t vertex_count_max = std::uint64_t{1} << 26;
/// Maximum weight of generated edges and of edges without one (GPU Multisplit, table 9).
inline constexpr std::uint32_t random_weight_max = 1000;

/// A directed edge; vertices are numbered from 0.
struct Edge {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    std::uint32_t weight = 0;
    friend bool operator==(Edge const&, Edge const&) = default;
};

/// Syntax of graphs on the command line, for help texts and remedies.
inline constexpr std::string_view graph_forms =
    "rmat:SCALE:DEGREE, grid:SIDE, power:DEGREE:SCALE, FILE.mtx or FILE.gr";

/// What a seed determines of a graph.
enum class DrawnParts { nothing, weights, edges_and_weights };

/// Edges before they are arranged in rows.
struct EdgeList {
    std::uint64_t vertex_count = 0;
    std::vector<Edge> edges;
    DrawnParts drawn = DrawnParts::edges_and_weights;
};

/// A directed weighted graph in compressed sparse row (CSR) format.
class Graph {
  public:
    /// \return an error if a path could overflow 32 bits: vertices x largest weight >= 2^32
    /// \param name of the graph, for errors
    /// \pre both end points of every edge are below vertex_count
    [[nodiscard]] static Expected<Graph> make(std::string const& name,
                                              std::uint64_t vertex_count,
                                              std::span<Edge const> edges,
                                              DrawnParts drawn = DrawnParts::nothing);

    [[nodiscard]] std::uint64_t vertex_count() const { return offsets_.size() - 1; }
    [[nodiscard]] std::uint64_t edge_count() const { return targets_.size(); }
    [[nodiscard]] std::uint64_t weight_sum() const { return weight_sum_; }
    [[nodiscard]] DrawnParts drawn() const { return drawn_; }

    /// Targets of the edges that leave `vertex`.
    [[nodiscard]] std::span<std::uint32_t const> targets(std::uint32_t vertex) const {
        return std::span(targets_).subspan(offsets_[vertex],
                                           offsets_[vertex + 1] - offsets_[vertex]);
    }
    /// Weights of these edges, in the same order.
    [[nodiscard]] std::span<std::uint32_t const> weights(std::uint32_t vertex) const {
        return std::span(weights_).subspan(offsets_[vertex],
                                           offsets_[vertex + 1] - offsets_[vertex]);
    }

    /// The CSR arrays: first edge of each vertex, [vertices + 1]; targets and weights, [edges].
    [[nodiscard]] std::span<std::uint64_t const> offsets() const { return offsets_; }
    [[nodiscard]] std::span<std::uint32_t const> all_targets() const { return targets_; }
    [[nodiscard]] std::span<std::uint32_t const> all_weights() const { return weights_; }

  private:
    std::vector<std::uint64_t> offsets_{0}; ///< [vertices + 1]
    std::vector<std::uint32_t> targets_;
    std::vector<std::uint32_t> weights_;
    std::uint64_t weight_sum_ = 0;
    DrawnParts drawn_ = DrawnParts::nothing;
};

} // namespace keyswap::model
