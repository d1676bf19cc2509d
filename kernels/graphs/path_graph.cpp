#include "kernels/graphs/path_graph.hpp"

#include "traces/errors/known_names.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace keyswap::kernels {

namespace {

constexpr std::array<std::pair<std::string_view, PathMethod>, 3> method_names{
    {{"multisplit", PathMethod::multisplit},
     {"bucketing", PathMethod::bucketing},
     {"near-far", PathMethod::near_far}}};

} // namespace

Expected<PathMethod> parse_path_method(std::string_view text) {
    KnownNames known;
    for (auto const& [name, method] : method_names) {
        if (name == text) {
            return method;
        }
        known.add(name);
    }
    return tl::unexpected(
        InputError{"method " + std::string(text), "is not known", known.remedy(text)});
}

std::optional<std::string> problem_of(PathGraph const& graph, std::uint32_t delta) {
    constexpr std::uint64_t vertices_max = std::uint64_t{1} << 31; // lists hold up to twice as many
    if (delta == 0) {
        return "buckets have width 0 (give at least 1)";
    }
    if (graph.offsets.size() < 2) {
        return "the graph has no vertices (give one offset more than vertices)";
    }
    std::uint64_t const vertices = graph.offsets.size() - 1;
    if (vertices >= vertices_max) {
        return "the graph has " + std::to_string(vertices) + " vertices (at most 2^31 - 1)";
    }
    if (graph.offsets.front() != 0 || !std::ranges::is_sorted(graph.offsets) ||
        graph.offsets.back() != graph.targets.size() ||
        graph.targets.size() != graph.weights.size()) {
        return "the offsets are not rows of " + std::to_string(graph.targets.size()) +
               " targets and " + std::to_string(graph.weights.size()) +
               " weights (they begin at 0, ascend, and end at the number of edges)";
    }
    auto const beyond = std::ranges::find_if(
        graph.targets, [vertices](std::uint32_t target) { return target >= vertices; });
    if (beyond != graph.targets.end()) {
        return "edge " + std::to_string(beyond - graph.targets.begin()) + " ends at " +
               std::to_string(*beyond) + ", which is not a vertex of " + std::to_string(vertices);
    }
    std::uint32_t const heaviest =
        graph.weights.empty() ? 0 : *std::ranges::max_element(graph.weights);
    if (vertices * heaviest >> 32 != 0) {
        return "a path could be longer than 32 bits hold: " + std::to_string(vertices) +
               " vertices, weights up to " + std::to_string(heaviest) +
               " (their product has to be below 2^32)";
    }
    return std::nullopt;
}

} // namespace keyswap::kernels
