#include "model/graphs/graph.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/errors/try.hpp"

#include <algorithm>
#include <numeric>

namespace keyswap::model {

Expected<Graph> Graph::make(std::string const& name,
                            std::uint64_t vertex_count,
                            std::span<Edge const> edges,
                            DrawnParts drawn) {
    if (vertex_count == 0 || vertex_count > vertex_count_max) {
        return input_error(name,
                           "has " + std::to_string(vertex_count) + " vertices",
                           "give 1 to " + std::to_string(vertex_count_max));
    }
    std::uint32_t heaviest = 0;
    for (Edge const& edge : edges) {
        heaviest = std::max(heaviest, edge.weight);
    }
    if (vertex_count * heaviest >> 32 != 0) {
        return tl::unexpected(
            InputError{name,
                       std::to_string(vertex_count) + " vertices and weights of up to " +
                           std::to_string(heaviest) + " may give distances of 2^32 or more",
                       "scale the weights down, or use a smaller graph"});
    }
    Graph graph;
    graph.drawn_ = drawn;
    graph.offsets_.assign(vertex_count + 1, 0);
    for (Edge const& edge : edges) {
        KEYSWAP_EXPECTS(edge.from < vertex_count && edge.to < vertex_count);
        ++graph.offsets_[edge.from + std::size_t{1}];
        graph.weight_sum_ += edge.weight;
    }
    std::inclusive_scan(graph.offsets_.begin(), graph.offsets_.end(), graph.offsets_.begin());
    std::vector<std::uint64_t> next(graph.offsets_.begin(), graph.offsets_.end() - 1);
    graph.targets_.resize(edges.size());
    graph.weights_.resize(edges.size());
    for (Edge const& edge : edges) {
        std::uint64_t const place = next[edge.from]++;
        graph.targets_[place] = edge.to;
        graph.weights_[place] = edge.weight;
    }
    return graph;
}

} // namespace keyswap::model
