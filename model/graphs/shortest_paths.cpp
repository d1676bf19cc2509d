#include "model/graphs/shortest_paths.hpp"

#include "traces/errors/contracts.hpp"

#include <functional>
#include <queue>
#include <utility>

namespace keyswap::model {

std::vector<std::uint32_t> dijkstra(Graph const& graph, std::uint32_t source) {
    KEYSWAP_EXPECTS(source < graph.vertex_count());
    using Entry = std::pair<std::uint32_t, std::uint32_t>; // distance, vertex
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    std::vector<std::uint32_t> distances(graph.vertex_count(), unreachable);
    distances[source] = 0;
    queue.emplace(0, source);
    while (!queue.empty()) {
        auto const [distance, vertex] = queue.top();
        queue.pop();
        if (distance != distances[vertex]) {
            continue;
        }
        auto const targets = graph.targets(vertex);
        auto const weights = graph.weights(vertex);
        for (std::size_t i = 0; i < targets.size(); ++i) {
            std::uint32_t const through = distance + weights[i];
            if (through < distances[targets[i]]) {
                distances[targets[i]] = through;
                queue.emplace(through, targets[i]);
            }
        }
    }
    return distances;
}

SequenceDigest distance_digest(std::span<std::uint32_t const> distances) {
    SequenceDigest digest;
    for (std::size_t i = 0; i < distances.size(); ++i) {
        digest += digest_at(i, digest_of(distances[i]));
    }
    return digest;
}

} // namespace keyswap::model
