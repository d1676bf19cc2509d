#include "kernels/graphs/path_graph.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace keyswap::kernels {
namespace {

struct Rows {
    std::vector<std::uint64_t> offsets{0, 2, 3, 3};
    std::vector<std::uint32_t> targets{1, 2, 2};
    std::vector<std::uint32_t> weights{5, 9, 0};
    [[nodiscard]] PathGraph graph() const { return {offsets, targets, weights}; }
};

template <class Change>
std::string refusal(Change const& change, std::uint32_t delta = 3) {
    Rows rows;
    change(rows);
    return problem_of(rows.graph(), delta).value_or("accepted");
}

TEST(PathGraph, TakesRowsOfVertices) {
    EXPECT_EQ(refusal([](Rows& /*rows*/) {}), "accepted");
    EXPECT_EQ(refusal([](Rows& rows) { rows = {{0, 0}, {}, {}}; }), "accepted");
}

TEST(PathGraph, RefusesWhatASearchCannotRead) {
    EXPECT_EQ(refusal([](Rows& /*rows*/) {}, 0), "buckets have width 0 (give at least 1)");
    EXPECT_EQ(refusal([](Rows& rows) { rows.offsets = {0}; }),
              "the graph has no vertices (give one offset more than vertices)");
    std::string const no_rows = "the offsets are not rows of 3 targets and ";
    EXPECT_EQ(refusal([](Rows& rows) { rows.offsets[1] = 4; }).find(no_rows), 0U);
    EXPECT_EQ(refusal([](Rows& rows) { rows.offsets[0] = 1; }).find(no_rows), 0U);
    EXPECT_EQ(refusal([](Rows& rows) { rows.offsets[3] = 2; }).find(no_rows), 0U);
    EXPECT_EQ(refusal([](Rows& rows) { rows.weights.pop_back(); }).find(no_rows), 0U);
    EXPECT_EQ(refusal([](Rows& rows) { rows.targets[1] = 3; }),
              "edge 1 ends at 3, which is not a vertex of 3");
    EXPECT_EQ(refusal([](Rows& rows) { rows.weights[2] = 0x60000000; }),
              "a path could be longer than 32 bits hold: 3 vertices, weights up to 1610612736 "
              "(their product has to be below 2^32)");
}

} // namespace
} // namespace keyswap::kernels
