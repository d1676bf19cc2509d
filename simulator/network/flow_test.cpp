#include "simulator/network/flow.hpp"

#include "simulator/network/flow_benchmark.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

FlowScenario one_link(double capacity_Bps, std::vector<double> sizes_bytes) {
    FlowScenario scenario{{capacity_Bps}, {}, std::move(sizes_bytes)};
    scenario.routes.assign(scenario.sizes_bytes.size(), {ChannelShare{0, 1.0}});
    return scenario;
}

TEST(Flows, FlowsOnALinkEndInOrderOfSize) {
    // 9 B/s. Three of 3, 6, 9 B: 3 B/s each, the first ends at 1 s. Two with 3 and 6 B left at 4.5
    // B/s: 2/3 s more. One with 3 B left at 9 B/s: 1/3 s more.
    FlowEnds const ends = run_flows(one_link(9, {3, 6, 9}));
    EXPECT_NEAR(ends.seconds[0], 1.0, 1e-11);
    EXPECT_NEAR(ends.seconds[1], 1.0 + 2.0 / 3.0, 1e-11);
    EXPECT_NEAR(ends.seconds[2], 2.0, 1e-11);
    EXPECT_EQ(ends.solves, 3U);
}

TEST(Flows, FlowsThatEndTogetherShareOneRating) {
    FlowEnds const ends = run_flows(one_link(10, {5, 5, 5, 10}));
    EXPECT_EQ(ends.solves, 2U);
    EXPECT_NEAR(ends.seconds[3], 2.5, 1e-11); // 25 B in total at 10 B/s, never idle
}

TEST(Flows, ATolerancePostponesTheRatingByThatPartOfTheFlowsAge) {
    // 9 B/s, 3 and 9 B: the first ends at 2/3 s at 4.5 B/s. With a tolerance of 0.3 the other keeps
    // 4.5 B/s until 2/3 * 1.3 and then has 9 - 4.5 * 2.6/3 = 5.1 B left at 9 B/s.
    FlowEnds const ends = run_flows(one_link(9, {3, 9}), 0.3);
    EXPECT_NEAR(ends.seconds[0], 2.0 / 3.0, 1e-11);
    EXPECT_NEAR(ends.seconds[1], 2.6 / 3.0 + 5.1 / 9.0, 1e-11);
}

TEST(Flows, AFlowThatStartsLateTakesItsShareFromThenOn) {
    FlowSet flows(std::vector<double>{10.0});
    ChannelShare const share{0, 1.0};
    flows.start(7, std::span(&share, 1), 20);
    EXPECT_EQ(flows.next_event(), SimTime{2'000'000'000'000}); // 20 B at 10 B/s
    EXPECT_TRUE(flows.advance(SimTime{1'000'000'000'000}).empty());
    flows.start(8, std::span(&share, 1), 5);
    // At 1 s: 10 B left and 5 B, 5 B/s each: the new one ends at 2 s, the old has 5 B for 0.5 s.
    EXPECT_EQ(flows.next_event(), SimTime{2'000'000'000'000});
    auto const first = flows.advance(SimTime{2'000'000'000'000});
    ASSERT_EQ(first.size(), 1U);
    EXPECT_EQ(first[0], 8U);
    EXPECT_EQ(flows.next_event(), SimTime{2'500'000'000'000});
}

TEST(Flows, AnAllToAllKeepsItsBusiestPortFull) {
    auto const topology = Topology::of(*load_platform("gb200-nvl72"));
    FlowScenario const scenario = all_to_all(*topology, 16, 1e6, 3);
    FlowEnds const ends = run_flows(scenario);
    // Lower bound: no port finishes before its bytes have passed.
    double bound = 0.0;
    for (std::uint32_t channel = 0; channel < scenario.capacities_Bps.size(); ++channel) {
        double bytes = 0.0;
        for (std::size_t i = 0; i < scenario.routes.size(); ++i) {
            for (ChannelShare const& share : scenario.routes[i]) {
                bytes += share.channel == channel ? scenario.sizes_bytes[i] : 0.0;
            }
        }
        bound = std::max(bound, bytes / scenario.capacities_Bps[channel]);
    }
    double const makespan = *std::max_element(ends.seconds.begin(), ends.seconds.end());
    EXPECT_GE(makespan, bound * (1 - 1e-9));
    EXPECT_LE(makespan, bound * 1.3); // fair sharing is not optimal, but close
}

TEST(FlowSet, ARestartedFlowKeepsWhatItHasMoved) {
    std::vector<double> const capacities{1e9};
    FlowSet flows(capacities);
    std::vector<ChannelShare> const route{{0, 1.0}};
    FlowSet::Slot const slot = flows.start(7, route, 2e6, 0.5e9);
    ASSERT_EQ(flows.next_event(), milliseconds(4));
    EXPECT_TRUE(flows.advance(milliseconds(1)).empty());
    flows.restart(slot, route);
    // 0.5 MB moved in the first millisecond; 1.5 MB at 1 GB/s
    EXPECT_EQ(flows.next_event(), microseconds(2500));
    auto const ended = flows.advance(microseconds(2500));
    ASSERT_EQ(ended.size(), 1U);
    EXPECT_EQ(ended[0], 7U);
    EXPECT_TRUE(flows.empty());
}

} // namespace
} // namespace keyswap::simulator
