#include "simulator/prediction/search_cost.hpp"

#include "model/graphs/graph_generator.hpp"
#include "simulator/prediction/stand_in_graphs.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

using model::PathMethod;

constexpr PathMethod all_methods[] = {
    PathMethod::multisplit, PathMethod::bucketing, PathMethod::near_far};

/// HBM of 1 GB/s: a byte takes 1,000 ps. Ballots, quotients and tiles are free.
RateProfile slow_memory() {
    RateProfile profile;
    profile.bandwidth_GBps = 1.0;
    profile.scan_launch_us = 10.0;
    profile.partition.emplace();
    profile.partition->warp_tile_keys = 128.0;
    profile.partition->run_ps = 500.0;
    profile.partition->split_ps = 2000.0;
    profile.radix.emplace();
    profile.radix->pass_bits = 8.0;
    profile.radix->bandwidth_GBps = 1.0;
    return profile;
}

TEST(SearchCost, WorkIsTheSumOfItsRounds) {
    RelaxationRecord relaxing;
    relaxing.pending = 5;
    relaxing.frontier = 3;
    relaxing.improved = 4;
    RelaxationRecord advancing;
    advancing.pending = 7;
    SearchWork const work = work_of(std::vector{relaxing, advancing, relaxing}, 100);
    EXPECT_EQ(work.rounds, 2.0);
    EXPECT_EQ(work.advances, 1.0);
    EXPECT_EQ(work.pending, 5.0 + 7.0 + 5.0);
    EXPECT_EQ(work.piled, 7.0);
    EXPECT_EQ(work.frontier, 6.0);
    EXPECT_EQ(work.improved, 8.0);
    EXPECT_EQ(work.edges, 100.0);
}

TEST(SearchCost, LaunchesEdgesAndWhatWaitsAreCountedApart) {
    SearchWork work;
    work.rounds = 10.0;
    work.advances = 2.0;
    work.pending = 1e6;
    work.piled = 1e5;
    work.frontier = 1e6;
    work.improved = 2e6;
    work.edges = 1e7;
    auto const near_far = search_time(slow_memory(), PathMethod::near_far, work);
    ASSERT_TRUE(near_far);
    // 10 rounds of relaxing and a split, three operations each, and 2 of two splits; 10 us each.
    EXPECT_DOUBLE_EQ(near_far->launches_ms, (10 * 6 + 2 * 6) * 0.010);
    // 8 bytes and a place of 11e6 edges and vertices; 8 bytes and two places of 2e6 vertices.
    EXPECT_DOUBLE_EQ(near_far->relaxing_ms, 11e6 * 8500e-9 + 2e6 * 9000e-9);
    // 2e6 that became nearer, and 1e5 on the pile twice: flags, and values of 4 bytes moved.
    EXPECT_DOUBLE_EQ(near_far->reorganising_ms, 2.2e6 * (2000 + 2 * 4 * 1000) * 1e-9);

    auto const bucketing = search_time(slow_memory(), PathMethod::bucketing, work);
    ASSERT_TRUE(bucketing);
    // Four passes of a count, a scan and a move each.
    EXPECT_DOUBLE_EQ(bucketing->launches_ms, 10 * (3 + 4 * 3) * 0.010);
    EXPECT_DOUBLE_EQ(bucketing->relaxing_ms, near_far->relaxing_ms);
    // A pass reads keys twice and moves pairs: 20 bytes.
    EXPECT_DOUBLE_EQ(bucketing->reorganising_ms, 1e6 * 4 * 20 * 1000 * 1e-9);
}

TEST(SearchCost, AProfileWithoutPartitionsPredictsNone) {
    RateProfile profile = slow_memory();
    profile.radix.reset();
    EXPECT_FALSE(search_time(profile, PathMethod::multisplit, {}));
    profile = slow_memory();
    profile.partition.reset();
    EXPECT_FALSE(search_time(profile, PathMethod::multisplit, {}));
}

TEST(SearchCost, TimesGrowWithEdgesAndAreNeverThoseOfFewerBytesThanTheirs) {
    auto const graph = model::load_graph("rmat:10:12", 1);
    ASSERT_TRUE(graph);
    for (PathMethod const method : all_methods) {
        auto const run = model::relax_in_rounds(*graph, 0, method, model::default_delta(*graph));
        for (std::string const& device : shipped_rate_profiles()) {
            auto const profile = load_rate_profile(device);
            ASSERT_TRUE(profile);
            double before_ms = 0.0;
            for (SearchWork work = work_of(run.rounds, run.relaxed_edges); work.edges < 1e11;) {
                auto const time = search_time(*profile, method, work);
                if (!time) {
                    EXPECT_FALSE(profile->partition && profile->radix) << device;
                    break;
                }
                EXPECT_GT(time->total_ms(), before_ms) << device;
                // Rows of 8 bytes, and two lists of pairs read and written.
                double const bytes = 8.0 * work.edges + 16.0 * work.improved;
                EXPECT_GT(time->total_ms(), bytes / profile->bandwidth_GBps * 1e-6) << device;
                before_ms = time->total_ms();
                for (double* const amount :
                     {&work.pending, &work.piled, &work.frontier, &work.improved, &work.edges}) {
                    *amount *= 10.0;
                }
            }
        }
    }
}

TEST(SearchCost, OurKernelsSortWhatOneTileHoldsByOneLaunch) {
    RateProfile profile = slow_memory();
    profile.fused.emplace();
    SearchWork work;
    work.rounds = 10.0;
    work.pending = 10.0 * 256 * 19;
    auto const launches_ms = [&](PathMethod method) {
        return search_time(profile, method, work)->launches_ms;
    };
    EXPECT_DOUBLE_EQ(launches_ms(PathMethod::multisplit), 10 * 5 * 0.010);
    EXPECT_DOUBLE_EQ(launches_ms(PathMethod::bucketing), 10 * 6 * 0.010);
    work.pending += 1.0; // counts, starts and four passes
    EXPECT_DOUBLE_EQ(launches_ms(PathMethod::bucketing), 10 * 11 * 0.010);
}

TEST(StandInGraphs, WorkGrowsWithEdgesAndRoundsWithTheDiameter) {
    constexpr std::uint64_t edges = 100'000;
    auto const grid = stand_in_work("grid:200", edges, PathMethod::multisplit);
    auto const wider = stand_in_work("grid:800", 16 * edges, PathMethod::multisplit);
    auto const road = stand_in_work("belgium_osm", edges, PathMethod::multisplit);
    ASSERT_TRUE(grid && wider && road);
    EXPECT_NEAR(wider->edges / grid->edges, 16.0, 1e-9);
    EXPECT_NEAR(wider->pending / grid->pending, 16.0, 1e-9);
    EXPECT_NEAR(wider->rounds / grid->rounds, 4.0, 1e-9); // its side
    // Table 10 counts an edge once that is relaxed in both directions.
    EXPECT_NEAR(road->edges / grid->edges, 2.0, 1e-9);
    auto const of_2_13 = stand_in_work("rmat:13:12", 12U << 13, PathMethod::near_far);
    auto const of_2_20 = stand_in_work("rmat:20:12", 12U << 20, PathMethod::near_far);
    ASSERT_TRUE(of_2_13 && of_2_20);
    EXPECT_NEAR(of_2_20->rounds / of_2_13->rounds, 20.0 / 13.0, 1e-9);
    EXPECT_NEAR(of_2_20->advances / of_2_13->advances, 20.0 / 13.0, 1e-9);
    EXPECT_NEAR(of_2_20->edges / of_2_13->edges, 128.0 * 20.0 / 13.0, 1e-9);
    EXPECT_FALSE(stand_in_work("twitter", edges, PathMethod::multisplit));
}

} // namespace
} // namespace keyswap::simulator
