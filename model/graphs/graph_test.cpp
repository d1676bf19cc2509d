#include "model/graphs/graph.hpp"

#include "model/graphs/graph_file.hpp"
#include "model/graphs/graph_generator.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/format/byte_sink.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <sys/stat.h>

namespace keyswap::model {
namespace {

using testing::put_text;
using testing::TemporaryFolder;

TEST(Graph, KeepsTheEdgesOfAVertexSideBySideInTheirOrder) {
    std::vector<Edge> const edges{{2, 0, 5}, {0, 1, 7}, {2, 1, 6}, {0, 0, 1}};
    Graph const graph = Graph::make("test", 3, edges).value();
    EXPECT_EQ(graph.vertex_count(), 3U);
    EXPECT_EQ(graph.edge_count(), 4U);
    EXPECT_EQ(graph.weight_sum(), 19U);
    EXPECT_TRUE(std::ranges::equal(graph.targets(0), std::vector<std::uint32_t>{1, 0}));
    EXPECT_TRUE(std::ranges::equal(graph.weights(2), std::vector<std::uint32_t>{5, 6}));
    EXPECT_TRUE(graph.targets(1).empty());
}

TEST(Graph, DistancesThatCouldOverflowAreRefused) {
    std::vector<Edge> const edges{{0, 1, 0x80000000U}};
    EXPECT_FALSE(Graph::make("test", 2, edges));
    EXPECT_FALSE(Graph::make("test", 0, {}));
    std::vector<Edge> const lighter{{0, 1, 0x7fffffffU}};
    EXPECT_TRUE(Graph::make("test", 2, lighter));
}

TEST(GraphGenerator, StandInsHaveTheirMeanDegreesAndTheSameSeedGivesTheSameGraph) {
    auto const degree = [](char const* text) {
        Graph const graph = load_graph(text, 1).value();
        return static_cast<double>(graph.edge_count()) / static_cast<double>(graph.vertex_count());
    };
    EXPECT_DOUBLE_EQ(degree("rmat:10:16"), 16);
    EXPECT_DOUBLE_EQ(degree("power:24:10"), 24);
    // 2 (V - side) edges along rows, 2 (side - 1) along the first column, a tenth along the others.
    EXPECT_NEAR(degree("grid:100"), 2.2, 0.05);
    EXPECT_EQ(rmat_edges(8, 4, 3).edges, rmat_edges(8, 4, 3).edges);
    EXPECT_NE(rmat_edges(8, 4, 3).edges, rmat_edges(8, 4, 4).edges);
}

TEST(GraphGenerator, RmatDrawsItsQuadrantsWithTheirProbabilities) {
    auto const list = rmat_edges(1, 50'000, 7);
    std::array<double, 4> share{};
    for (Edge const& edge : list.edges) {
        share[2 * edge.from + edge.to] += 1e-5;
    }
    EXPECT_NEAR(share[0], 0.5, 0.01);
    EXPECT_NEAR(share[1], 0.1, 0.01);
    EXPECT_NEAR(share[2], 0.1, 0.01);
    EXPECT_NEAR(share[3], 0.3, 0.01);
}

TEST(GraphFile, MatrixMarketIsRead) {
    TemporaryFolder const folder;
    put_text(
        folder / "a.mtx",
        "%%MatrixMarket matrix coordinate integer general\n% comment\n\n3 3 2\n1 2 10\n3 1 0\n");
    auto const general = read_graph_file(folder / "a.mtx", 1);
    ASSERT_TRUE(general) << general.error().message();
    EXPECT_EQ(general->vertex_count, 3U);
    EXPECT_EQ(general->edges, (std::vector<Edge>{{0, 1, 10}, {2, 0, 0}}));
    put_text(folder / "b.mtx",
             "%%MatrixMarket MATRIX coordinate pattern symmetric\r\n3 3 2\r\n2 1\r\n3 3\r\n");
    auto const pattern = read_graph_file(folder / "b.mtx", 1);
    ASSERT_TRUE(pattern) << pattern.error().message();
    ASSERT_EQ(pattern->edges.size(), 3U);
    EXPECT_EQ(pattern->edges[0].weight, pattern->edges[1].weight);
    EXPECT_EQ(pattern->drawn, DrawnParts::weights);
    EXPECT_EQ(general->drawn, DrawnParts::nothing);
    EXPECT_LE(pattern->edges[2].weight, random_weight_max);
    put_text(folder / "c.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 2.5e1\n");
    EXPECT_EQ(read_graph_file(folder / "c.mtx", 1)->edges.front().weight, 25U);
}

TEST(GraphFile, DimacsIsRead) {
    TemporaryFolder const folder;
    put_text(folder / "a.gr", "c a graph\np sp 3 2\na 1 2 10\nc more\na 3 1 4\n");
    auto const list = read_graph_file(folder / "a.gr", 1);
    ASSERT_TRUE(list) << list.error().message();
    EXPECT_EQ(list->edges, (std::vector<Edge>{{0, 1, 10}, {2, 0, 4}}));
}

TEST(GraphFile, EndingsAreReadInLettersOfEitherCaseAndBeforeThoseOfCompression) {
    TemporaryFolder const folder;
    for (std::string const name : {"a.GR", "a.gr.gz", "a.Gr.ZST", "a.gr.gzip"}) {
        put_text(folder / "plain.gr", "p sp 3 2\na 1 2 5\na 2 3 5\n");
        bool const plain = name == "a.GR";
        if (!plain) {
            auto file = create_bytes(folder / (name.ends_with("ZST") ? "b.zst" : "b.gz"));
            ASSERT_TRUE((*file)->write("p sp 3 2\na 1 2 5\na 2 3 5\n"));
            ASSERT_TRUE((*file)->finish());
        }
        std::filesystem::rename(folder / (plain                   ? "plain.gr"
                                          : name.ends_with("ZST") ? "b.zst"
                                                                  : "b.gz"),
                                folder / name);
        auto const list = read_graph_file(folder / name, 1);
        ASSERT_TRUE(list) << list.error().message();
        EXPECT_EQ(list->edges.size(), 2U) << name;
    }
}

TEST(GraphFile, MistakesAreNamedWithFileAndLine) {
    TemporaryFolder const folder;
    auto const subject = [&](std::string const& name, std::string const& text) {
        put_text(folder / name, text);
        auto const list = read_graph_file(folder / name, 1);
        EXPECT_FALSE(list) << text;
        EXPECT_FALSE(list ? false : list.error().remedy.empty()) << text;
        std::string const path = (folder / name).string();
        return list ? "" : list.error().subject.substr(path.size());
    };
    std::string const header = "%%MatrixMarket matrix coordinate integer general\n";
    EXPECT_EQ(subject("a.mtx", "1 1 1\n"), ":1");
    EXPECT_EQ(subject("a.mtx", ""), ":1");
    EXPECT_EQ(subject("a.mtx", header + "3 4 1\n"), ":2");
    EXPECT_EQ(subject("a.mtx", header + "3 3 x\n"), ":2");
    EXPECT_EQ(subject("a.mtx", header + "99999999999 99999999999 1\n"), ":2");
    EXPECT_EQ(subject("a.mtx", header + "3 3 2\n1 2 3\n"), "");
    EXPECT_EQ(subject("a.mtx", header + "3 3 1\n1 4 3\n"), ":3");
    EXPECT_EQ(subject("a.mtx", header + "3 3 1\n0 1 3\n"), ":3");
    EXPECT_EQ(subject("a.mtx", header + "3 3 1\n1 2 -3\n"), ":3");
    EXPECT_EQ(subject("a.mtx", header + "3 3 1\n1 2 0.5\n"), ":3");
    EXPECT_EQ(subject("a.mtx", header + "3 3 1\n1 2\n"), ":3");
    EXPECT_EQ(subject("a.mtx", header + "3 3 1\n" + std::string(5000, '1') + "\n"), ":3");
    EXPECT_EQ(subject("a.mtx", header + "3 3 1\n1 2 3\n\n% a comment\n2 3 1\n"), ":6");
    EXPECT_EQ(subject("a.mtx", header + "3 3 1\n1 2 3\nrubbish\n"), ":4");
    EXPECT_EQ(subject("a.mtx", header + "3 3 0\n1 2 3\n"), ":3");
    EXPECT_EQ(subject("a.gr", "p sp 3 1\na 1 4 1\n"), ":2");
    EXPECT_EQ(subject("a.gr", "a 1 2 1\n"), ":1");
    EXPECT_EQ(subject("a.gr", "p sp 3 1\np sp 3 1\n"), ":2");
    EXPECT_EQ(subject("a.gr", "p sp 3 2\na 1 2 1\n"), "");
    EXPECT_EQ(subject("a.gr", "p sp 3 1\na 1 2 1\na 1 2 1\n"), ":3");
    EXPECT_EQ(subject("a.gr", "c\n"), "");
    EXPECT_FALSE(load_graph("graph.txt", 1));
    EXPECT_FALSE(load_graph("/nowhere/graph.gr", 1));
    for (char const* const text : {"rmat",
                                   "rmat:3",
                                   "rmat:40:16",
                                   "rmat:3:0",
                                   "grid:0",
                                   "grid:9999",
                                   "power:3",
                                   "power:x:3",
                                   "rmat:3:4:5"}) {
        EXPECT_FALSE(load_graph(text, 1)) << text;
    }
}

TEST(GraphFile, ClaimsArePaidForByALimitThatIsNamed) {
    TemporaryFolder const folder;
    auto const remedy = [&](std::string const& size) {
        put_text(folder / "a.gr", "p sp " + size + "\n");
        auto const list = read_graph_file(folder / "a.gr", 1);
        return list ? "" : list.error().message();
    };
    for (char const* const size : {"60000000 1", "1 99999999999", "1 18446744073709551615"}) {
        EXPECT_NE(remedy(size).find("raise --memory-limit"), std::string::npos) << remedy(size);
    }
    ASSERT_TRUE(set_limit(Limit::memory, std::uint64_t{1} << 31).has_value());
    EXPECT_EQ(remedy("60000000 1").find("--memory-limit"), std::string::npos);
    reset_limits();
}

TEST(GraphFile, APipeWithoutAWriterIsGivenUp) {
    TemporaryFolder const folder;
    ASSERT_EQ(::mkfifo((folder / "a.gr").c_str(), 0600), 0);
    ASSERT_TRUE(set_limit(Limit::wait, 0).has_value());
    auto const list = read_graph_file(folder / "a.gr", 1);
    reset_limits();
    ASSERT_FALSE(list);
    EXPECT_NE(list.error().message().find("--wait-limit"), std::string::npos);
}

} // namespace
} // namespace keyswap::model
