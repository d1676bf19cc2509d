#include "kernels/device/cuda_check.hpp"
#include "kernels/device/gpu_test.hpp"
#include "kernels/shortest_paths.hpp"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

namespace keyswap::kernels {
namespace {

using gpu_test::TestRandom;

struct Rows {
    std::vector<std::uint64_t> offsets{0};
    std::vector<std::uint32_t> targets;
    std::vector<std::uint32_t> weights;
    [[nodiscard]] PathGraph graph() const { return {offsets, targets, weights}; }
};

/// A few vertices have most edges, some have none.
Rows random_graph(std::uint32_t vertices, std::uint32_t weight_max, std::uint64_t seed) {
    TestRandom random{seed};
    Rows rows;
    for (std::uint32_t vertex = 0; vertex < vertices; ++vertex) {
        std::uint64_t const degree =
            random.next() % 50 == 0 ? random.next() % (2 * vertices) : random.next() % 6;
        for (std::uint64_t edge = 0; edge < degree; ++edge) {
            rows.targets.push_back(static_cast<std::uint32_t>(random.next() % vertices));
            rows.weights.push_back(static_cast<std::uint32_t>(random.next() % (weight_max + 1)));
        }
        rows.offsets.push_back(rows.targets.size());
    }
    return rows;
}

/// Dijkstra's algorithm.
std::vector<std::uint32_t> shortest(Rows const& rows, std::uint32_t source) {
    std::vector<std::uint32_t> distances(rows.offsets.size() - 1, path_unreachable);
    using Entry = std::pair<std::uint32_t, std::uint32_t>;
    std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
    distances[source] = 0;
    queue.emplace(0, source);
    while (!queue.empty()) {
        auto const [distance, vertex] = queue.top();
        queue.pop();
        if (distance != distances[vertex]) {
            continue;
        }
        for (auto edge = rows.offsets[vertex]; edge < rows.offsets[vertex + 1]; ++edge) {
            std::uint32_t const through = distance + rows.weights[edge];
            if (through < distances[rows.targets[edge]]) {
                distances[rows.targets[edge]] = through;
                queue.emplace(through, rows.targets[edge]);
            }
        }
    }
    return distances;
}

constexpr PathMethod methods[] = {
    PathMethod::multisplit, PathMethod::bucketing, PathMethod::near_far};

TEST(PathFinder, FindsDijkstrasDistancesOnAThousandRandomGraphs) {
    KEYSWAP_NEEDS_GPUS(1);
    std::uint64_t const seed = 20261123;
    std::cout << "seed " << seed << '\n';
    TestRandom random{seed};
    for (int graph = 0; graph < 1'000; ++graph) {
        auto const vertices = static_cast<std::uint32_t>(1 + random.next() % 400);
        auto const weight_max = static_cast<std::uint32_t>(random.next() % 3 == 0 ? 3 : 1'000);
        Rows const rows = random_graph(vertices, weight_max, random.next());
        auto const delta = static_cast<std::uint32_t>(1 + random.next() % (2 * weight_max + 2));
        auto const source = static_cast<std::uint32_t>(random.next() % vertices);
        auto const expected = shortest(rows, source);
        PathMethod const method = methods[graph % 3];
        auto finder = PathFinder::create(rows.graph(), method, delta);
        ASSERT_TRUE(finder) << finder.error().message;
        auto const found = finder->find(source);
        ASSERT_TRUE(found) << found.error().message;
        ASSERT_EQ(found->distances, expected) << "graph " << graph;
        ASSERT_FALSE(found->rounds.empty());
    }
}

TEST(PathFinder, SearchesAgainFromAnotherVertexOfALargeGraph) {
    KEYSWAP_NEEDS_GPUS(1);
    Rows const rows = random_graph(20'011, 1'000, 3);
    for (PathMethod const method : methods) {
        auto finder = PathFinder::create(rows.graph(), method, 200);
        ASSERT_TRUE(finder) << finder.error().message;
        for (std::uint32_t const source : {0U, 777U, 20'010U}) {
            auto const found = finder->find(source);
            ASSERT_TRUE(found) << found.error().message;
            ASSERT_EQ(found->distances, shortest(rows, source));
            std::uint64_t relaxed = 0;
            for (RelaxationRecord const& round : found->rounds) {
                relaxed += round.frontier;
            }
            EXPECT_GT(found->relaxed_edges, relaxed) << "3 edges a vertex on average";
        }
    }
}

// Computed by hand: 0 -> 1 (2), 0 -> 2 (7), 1 -> 2 (1), 2 -> 3 (30); Delta 4.
TEST(PathFinder, RecordsTheRoundsOfASmallGraph) {
    KEYSWAP_NEEDS_GPUS(1);
    Rows const rows{{0, 2, 3, 4, 4}, {1, 2, 2, 3}, {2, 7, 1, 30}};
    auto finder = PathFinder::create(rows.graph(), PathMethod::multisplit, 4);
    ASSERT_TRUE(finder) << finder.error().message;
    auto const found = finder->find(0);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->distances, (std::vector<std::uint32_t>{0, 2, 3, 33}));
    auto const counts = [](std::vector<std::uint64_t> first) {
        first.resize(path_buckets);
        return first;
    };
    EXPECT_EQ(found->rounds,
              (std::vector<RelaxationRecord>{{0, 1, 1, 2, 0, 4, counts({1})},
                                             {1, 2, 1, 1, 0, 4, counts({1, 1})},
                                             {2, 1, 1, 1, 0, 4, counts({1})},
                                             {3, 1, 1, 0, 32, 36, counts({1})}}));
    EXPECT_EQ(found->relaxed_edges, 4U);
}

// The same graph. Vertex 2 enters the far pile with 7 and leaves it when 1 improves it; the fourth
// round relaxes nothing and moves the split to 4 + 28 + 4.
TEST(PathFinder, RecordsTheRoundsOfASmallGraphNearFirst) {
    KEYSWAP_NEEDS_GPUS(1);
    Rows const rows{{0, 2, 3, 4, 4}, {1, 2, 2, 3}, {2, 7, 1, 30}};
    auto finder = PathFinder::create(rows.graph(), PathMethod::near_far, 4);
    ASSERT_TRUE(finder) << finder.error().message;
    auto const found = finder->find(0);
    ASSERT_TRUE(found) << found.error().message;
    EXPECT_EQ(found->distances, (std::vector<std::uint32_t>{0, 2, 3, 33}));
    EXPECT_EQ(found->rounds,
              (std::vector<RelaxationRecord>{{0, 1, 1, 2, 0, 4, {1, 0}},
                                             {1, 2, 1, 1, 0, 4, {1, 1}},
                                             {2, 1, 1, 1, 0, 4, {1, 0}},
                                             {3, 1, 0, 0, 0, 36, {1, 0}},
                                             {4, 1, 1, 0, 0, 36, {1, 0}}}));
    EXPECT_EQ(found->relaxed_edges, 4U);
}

TEST(PathFinder, RefusesWhatIsNoVertexOrNoDevice) {
    KEYSWAP_NEEDS_GPUS(1);
    Rows const rows = random_graph(10, 5, 1);
    auto finder = PathFinder::create(rows.graph(), PathMethod::near_far, 1);
    ASSERT_TRUE(finder) << finder.error().message;
    EXPECT_EQ(finder->find(10).error().message, "10 is not a vertex of 10 (number them from 0)");
    EXPECT_FALSE(PathFinder::create(rows.graph(), PathMethod::near_far, 1, 999));
    EXPECT_FALSE(PathFinder::create(rows.graph(), PathMethod::near_far, 0));
}

TEST(PathFinder, AFailingCallIsAnErrorAndTheNextSearchWorks) {
    KEYSWAP_NEEDS_GPUS(1);
    Rows const rows = random_graph(50, 5, 1);
    auto const expected = shortest(rows, 0);
    for (PathMethod const method : methods) {
        auto finder = PathFinder::create(rows.graph(), method, 2);
        ASSERT_TRUE(finder) << finder.error().message;
        for (std::uint64_t call = 0;; ++call) {
            ASSERT_LT(call, 10'000U) << "no call is the last";
            fault_injection::fail_call(call);
            auto const found = finder->find(0);
            if (!fault_injection::stop()) {
                ASSERT_TRUE(found) << found.error().message;
                EXPECT_EQ(found->distances, expected);
                break;
            }
            ASSERT_FALSE(found) << "call " << call;
        }
    }
}

} // namespace
} // namespace keyswap::kernels
