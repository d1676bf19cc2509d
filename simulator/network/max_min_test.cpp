#include "simulator/testing/max_min_rates.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

FlowDemand over(std::vector<std::uint32_t> const& channels, double ceiling = no_ceiling) {
    FlowDemand flow;
    for (std::uint32_t const channel : channels) {
        flow.shares.push_back(ChannelShare{channel, 1.0});
    }
    flow.ceiling = ceiling;
    return flow;
}

std::vector<double> rates(std::vector<double> const& capacities,
                          std::vector<FlowDemand> const& flows) {
    return max_min_rates(capacities, flows);
}

void expect_rates(std::vector<double> const& found, std::vector<double> const& derived) {
    ASSERT_EQ(found.size(), derived.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        EXPECT_NEAR(found[i], derived[i], 1e-12 * derived[i]) << "flow " << i;
    }
}

TEST(MaxMin, ALinkIsSharedEqually) {
    expect_rates(rates({12}, {over({0}), over({0}), over({0})}), {4, 4, 4});
}

TEST(MaxMin, WhatASlowFlowLeavesGoesToTheOthers) {
    // Link 1 (2) holds flows 0 and 1 at 1 each, as both cross it. Link 0 (10) leaves flow 2 the
    // rest: 10 - 1 = 9.
    expect_rates(rates({10, 2}, {over({0, 1}), over({1}), over({0})}), {1, 1, 9});
}

TEST(MaxMin, TheLongFlowOfAParkingLotGetsTheSmallestShare) {
    // Links 6, 9, 12 in a row; flow 0 crosses all, each link has one or two flows of its own.
    // Link 1: 9 / 3 = 3 is not below link 0's 6 / 2 = 3: both fix at 3; link 2 leaves 12 - 3 = 9.
    expect_rates(rates({6, 9, 12}, {over({0, 1, 2}), over({0}), over({1}), over({1}), over({2})}),
                 {3, 3, 3, 3, 9});
}

TEST(MaxMin, ACeilingLeavesTheRestToOthers) {
    // 10 shared by three with ceilings 1 and 4: 1; then 9 / 2 = 4.5 > 4, so 4; the third 5.
    expect_rates(rates({10}, {over({0}, 1), over({0}, 4), over({0})}), {1, 4, 5});
}

TEST(MaxMin, AFlowWithoutChannelsRunsAtItsCeiling) {
    expect_rates(rates({}, {over({}, 7)}), {7});
}

TEST(MaxMin, WeightsCountAgainstTheCapacity) {
    // Channel 0 (12): weight 2 for flow 0, 1 for flow 1: 3 x = 12, both 4.
    expect_rates(rates({12}, {FlowDemand{{{0, 2.0}}}, FlowDemand{{{0, 1.0}}}}), {4, 4});
}

TEST(MaxMin, EqualChannelsInSeriesDoNotExcuseEachOther) {
    expect_rates(rates({8, 8, 8}, {over({0, 1, 2}), over({0, 1, 2})}), {4, 4});
}

TEST(MaxMin, AWideChannelBindsWhenItsCoversLetMoreThrough) {
    // Channel 2 (10) takes flows that enter by channels of 6 each: 6 + 6 > 10, so 5 each. With
    // one of them gone the other is held by its own 6.
    MaxMinSolver solver(std::vector<double>{6, 6, 10});
    auto const a = solver.add(over({0, 2}).shares);
    auto const b = solver.add(over({1, 2}).shares);
    static_cast<void>(solver.solve());
    EXPECT_DOUBLE_EQ(solver.rate(a), 5);
    EXPECT_DOUBLE_EQ(solver.rate(b), 5);
    solver.remove(a);
    static_cast<void>(solver.solve());
    EXPECT_DOUBLE_EQ(solver.rate(b), 6);
    EXPECT_DOUBLE_EQ(solver.use(2), 6);
}

TEST(MaxMin, FlowsApartFromAChangeAreNotSolvedAgain) {
    MaxMinSolver solver(std::vector<double>{10, 10, 10, 10});
    auto const left = solver.add(over({0, 1}).shares);
    auto const right = solver.add(over({2, 3}).shares);
    static_cast<void>(solver.solve());
    auto const other = solver.add(over({3}).shares);
    auto const solved = solver.solve();
    EXPECT_EQ(solved.size(), 2U); // right and other share channel 3
    EXPECT_DOUBLE_EQ(solver.rate(left), 10);
    EXPECT_DOUBLE_EQ(solver.rate(right), 5);
    EXPECT_DOUBLE_EQ(solver.rate(other), 5);
}

} // namespace
} // namespace keyswap::simulator
