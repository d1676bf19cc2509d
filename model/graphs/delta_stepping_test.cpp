#include "model/graphs/delta_stepping.hpp"

#include "model/graphs/graph_generator.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

namespace keyswap::model {
namespace {

constexpr PathMethod methods[] = {
    PathMethod::multisplit, PathMethod::bucketing, PathMethod::near_far};

Graph graph_of(std::uint64_t vertices, std::vector<Edge> const& edges) {
    return Graph::make("test", vertices, edges).value();
}

TEST(Dijkstra, FindsTheShorterWayRound) {
    Graph const graph = graph_of(5, {{0, 1, 10}, {0, 2, 3}, {2, 1, 4}, {1, 3, 0}, {3, 0, 1}});
    EXPECT_EQ(dijkstra(graph, 0), (std::vector<std::uint32_t>{0, 7, 3, 7, unreachable}));
    EXPECT_EQ(dijkstra(graph, 4),
              (std::vector<std::uint32_t>{unreachable, unreachable, unreachable, unreachable, 0}));
}

/// A path with weights 1, 5, 20 and Delta 10, computed by hand.
TEST(DeltaStepping, TakesOneBucketARound) {
    Graph const graph = graph_of(4, {{0, 1, 1}, {1, 2, 5}, {2, 3, 20}});
    auto const run = relax_in_rounds(graph, 0, PathMethod::multisplit, 10);
    ASSERT_EQ(run.rounds.size(), 4U);
    EXPECT_EQ(run.rounds[0], (RelaxationRecord{0, 1, 1, 1, 0, 10, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}}));
    EXPECT_EQ(run.rounds[3],
              (RelaxationRecord{3, 1, 1, 0, 20, 30, {1, 0, 0, 0, 0, 0, 0, 0, 0, 0}}));
    EXPECT_EQ(run.relaxed_edges, 3U);
}

/// Source 0 reaches 1 at distance 25 and 2 at 4. With Delta 10 vertex 1 waits on the far pile; its
/// entry becomes stale once the path through 2 reduces its distance to 9.
TEST(NearFar, DropsStaleEntriesBeforeTheyAreCounted) {
    Graph const graph = graph_of(4, {{0, 1, 25}, {0, 2, 4}, {2, 1, 5}, {1, 3, 30}});
    auto const run = relax_in_rounds(graph, 0, PathMethod::near_far, 10);
    ASSERT_EQ(run.rounds.size(), 5U);
    EXPECT_EQ(run.rounds[0], (RelaxationRecord{0, 1, 1, 2, 0, 10, {1, 0}}));
    EXPECT_EQ(run.rounds[1], (RelaxationRecord{1, 2, 1, 1, 0, 10, {1, 1}}));
    EXPECT_EQ(run.rounds[2], (RelaxationRecord{2, 1, 1, 1, 0, 10, {1, 0}}));
    // No vertex is near: one round moves the split beyond 39.
    EXPECT_EQ(run.rounds[3], (RelaxationRecord{3, 1, 0, 0, 0, 40, {1, 0}}));
    EXPECT_EQ(run.distances, (std::vector<std::uint32_t>{0, 9, 4, 39}));
}

TEST(DeltaStepping, StandardDeltaIsThirtyTwoMeanWeightsByMeanDegree) {
    // Mean weight 6, mean degree 2 / 3: 32 * 6 * 3 / 2 = 288.
    EXPECT_EQ(default_delta(graph_of(3, {{0, 1, 10}, {1, 2, 2}})), 288U);
    EXPECT_EQ(default_delta(graph_of(3, {{0, 1, 0}})), 1U);
    EXPECT_EQ(default_delta(graph_of(3, {})), 1U);
}

/// A graph of 1 to 60 vertices; a function of `number` and `weight_max` only.
Graph random_graph(std::uint64_t number, std::uint32_t weight_max) {
    std::uint64_t draw = number << 32;
    auto const below = [&](std::uint64_t limit) {
        return static_cast<std::uint32_t>(mix_bits(++draw) % limit);
    };
    std::uint32_t const vertices = 1 + below(60);
    std::vector<Edge> edges(below(4 * vertices));
    for (Edge& edge : edges) {
        edge = {below(vertices), below(vertices), below(weight_max + 1)};
    }
    return graph_of(vertices, edges);
}

/// Invariants of every round of every method.
void expect_rounds_hold(PathRun const& run) {
    std::uint64_t split = 0;
    for (RelaxationRecord const& round : run.rounds) {
        std::uint64_t sum = 0;
        for (std::uint64_t const count : round.counts) {
            sum += count;
        }
        EXPECT_EQ(sum, round.pending);
        EXPECT_LE(round.frontier, round.pending);
        EXPECT_GE(round.split, split) << "rounds go on to farther buckets, never back";
        split = round.split;
    }
}

TEST(DeltaStepping, AllMethodsGiveDijkstrasDistancesOnAThousandRandomGraphs) {
    for (std::uint64_t number = 0; number < 1000; ++number) {
        std::uint32_t const weight_max = number % 4 == 0 ? 3 : 1000;
        Graph const graph = random_graph(number, weight_max);
        auto const expected = dijkstra(graph, 0);
        std::uint32_t const deltas[] = {1, default_delta(graph), 77, unreachable};
        std::uint32_t const delta = deltas[number % 3 == 0 ? number / 3 % 4 : 1];
        SCOPED_TRACE("graph " + std::to_string(number) + ", Delta " + std::to_string(delta));
        for (PathMethod const method : methods) {
            auto const run = relax_in_rounds(graph, 0, method, delta);
            ASSERT_EQ(run.distances, expected) << to_string(method);
            expect_rounds_hold(run);
        }
        EXPECT_EQ(relax_in_rounds(graph, 0, PathMethod::multisplit, delta).rounds,
                  relax_in_rounds(graph, 0, PathMethod::bucketing, delta).rounds);
    }
}

TEST(DeltaStepping, AllMethodsGiveDijkstrasDistancesOnTheStandIns) {
    for (char const* const text : {"rmat:12:12", "grid:60", "power:24:11", "power:8:11"}) {
        Graph const graph = load_graph(text, 3).value();
        auto const expected = distance_digest(dijkstra(graph, 0));
        for (PathMethod const method : methods) {
            auto const run = relax_in_rounds(graph, 0, method, default_delta(graph));
            EXPECT_EQ(distance_digest(run.distances), expected) << text << to_string(method);
        }
    }
}

TEST(DeltaStepping, MethodsHaveNames) {
    for (PathMethod const method : methods) {
        EXPECT_EQ(parse_path_method(to_string(method)).value(), method);
    }
    EXPECT_FALSE(parse_path_method("farnear"));
}

} // namespace
} // namespace keyswap::model
