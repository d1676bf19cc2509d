#include "simulator/engine/chrome_trace.hpp"
#include "simulator/platform/topology.hpp"
#include "simulator/study/gpu_sets.hpp"
#include "simulator/study/what_if.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>

#include <limits>
#include <numeric>
#include <sstream>

namespace keyswap::simulator {
namespace {

TEST(WhatIf, ReadsALinkAndItsFactor) {
    EXPECT_EQ(*parse_link_change("xbus x2"), (LinkChange{"xbus", 2.0}));
    for (char const* text : {"xbus", "xbus x", "xbus x0", "xbus x-1", " x2", "xbus x2GB"}) {
        EXPECT_FALSE(parse_link_change(text)) << text;
    }
}

TEST(WhatIf, RefusesALinkThatIsNotThere) {
    auto const machine = load_machine("ac922", std::nullopt);
    ASSERT_TRUE(machine);
    EXPECT_FALSE(with_link_change(*machine, {"nvswitch", 2.0}));
}

std::vector<double> totals(Machine const& machine, WhatIfSweep const& sweep) {
    std::vector<double> all;
    auto const rows = run_what_if(machine, sweep);
    EXPECT_TRUE(rows);
    for (WhatIfRow const& row : *rows) {
        all.push_back(row.total_ms);
    }
    return all;
}

TEST(WhatIf, AFasterXBusMakesFourGpusFaster) {
    auto const machine = load_machine("ac922", std::nullopt);
    ASSERT_TRUE(machine);
    WhatIfSweep sweep;
    sweep.link_changes.push_back(LinkChange{"xbus", 2.0});
    sweep.gpu_sets = {{0, 1, 2, 3}, {0, 1}};
    auto const ms = totals(*machine, sweep);
    ASSERT_EQ(ms.size(), 4U); // GPU sets vary fastest
    EXPECT_LT(ms[2], ms[0]);
    EXPECT_DOUBLE_EQ(ms[3], ms[1]);
}

TEST(WhatIf, GivesTheSameRowsForAnyNumberOfThreads) {
    auto const machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    WhatIfSweep sweep;
    sweep.gpu_sets = {{0, 1}, {0, 2}, {0, 2, 4, 6}};
    sweep.key_counts = {1'000'000, 100'000'000};
    sweep.distributions = {"uniform", "zipf"};
    auto const many = totals(*machine, sweep);
    tbb::global_control const one(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(totals(*machine, sweep), many);
}

TEST(GpuSets, CountEverySetOnceAndKnowSymmetricOnes) {
    auto const platform = load_platform("dgx-a100");
    ASSERT_TRUE(platform);
    auto const topology = Topology::of(*platform);
    ASSERT_TRUE(topology);
    auto const pairs = gpu_set_classes(*topology, 8, 0, 2);
    std::uint64_t sets = 0;
    for (GpuSetClass const& set : pairs) {
        sets += set.sets;
    }
    EXPECT_EQ(sets, 28U); // 8 choose 2
    // From node 0: a pair on one switch or on two, near or far, or one near and one far.
    EXPECT_EQ(pairs.size(), 5U);
}

TEST(WhatIf, ALinkIsNotChangedBeyondWhatALinkCanBe) {
    auto const machine = load_machine("hgx-h200", std::nullopt);
    ASSERT_TRUE(machine);
    for (double const factor : {1e-12, 1e12, 1e300}) {
        auto const changed = with_link_change(*machine, {"nvlink", factor});
        ASSERT_FALSE(changed) << factor;
        EXPECT_EQ(changed.error().subject, "--link");
    }
}

TEST(Simulate, NumbersBeyondItsLimitsAreRefused) {
    auto machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request;
    request.gpus = {0, 1};
    request.config.key_count = 100'000'000'000'000'000;
    auto const many = simulate(*machine, request);
    ASSERT_FALSE(many);
    EXPECT_EQ(many.error().subject, "number of keys");
    request.config.key_count = 1000;
    request.engine.rate_tolerance = std::numeric_limits<double>::quiet_NaN();
    auto const unsure = simulate(*machine, request);
    ASSERT_FALSE(unsure);
    EXPECT_EQ(unsure.error().subject, "--rate-tolerance");
    // All that a file may say at its worst: a run of months, not an overflow.
    request.engine.rate_tolerance = 0.0;
    request.config.key_count = 10'000'000'000'000;
    for (LinkKind& kind : machine->platform.link_kinds) {
        kind.bandwidth_Bps = 1'000'000;
        kind.bandwidth_back_Bps.reset();
        kind.bandwidth_total_Bps.reset();
        kind.efficiency = 1e-3;
    }
    for (ProfileConstant const& constant : constants_of(machine->device)) {
        *constant.value = constant.unit == "GB/s" ? 1e-3 : constant.unit == "bits" ? 1.0 : 1e9;
    }
    machine->device.sort_lag = 1.0;
    for (char const* algorithm :
         {"rmg-paper", "rmg-rotated", "rmg-fast", "p2p-merge", "het-merge"}) {
        request.algorithm = algorithm;
        auto const slow = simulate(*machine, request);
        ASSERT_FALSE(slow) << algorithm;
        EXPECT_EQ(slow.error().subject, "simulation");
    }
}

TEST(ChromeTrace, IsJsonWithAnEventATask) {
    auto const machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request;
    request.config.key_count = 1'000'000;
    request.gpus = {0, 1};
    request.engine.recording = ChannelRecording::samples;
    auto const simulation = simulate(*machine, request);
    ASSERT_TRUE(simulation);
    std::ostringstream out;
    write_chrome_trace(out, simulation->schedule.graph, simulation->timeline);
    auto const json = nlohmann::json::parse(out.str());
    std::size_t spans = 0;
    std::size_t arrows = 0;
    for (auto const& event : json["traceEvents"]) {
        spans += event["ph"] == "X" ? 1 : 0;
        arrows += event["ph"] == "s" ? 1 : 0;
    }
    std::size_t on_streams = 0;
    for (Task const& task : simulation->schedule.graph.tasks) {
        on_streams += task.stream ? 1 : 0;
    }
    EXPECT_EQ(spans, on_streams);
    EXPECT_EQ(arrows, 256U); // of 2 * 256 bucket copies, half stay where they are
}

} // namespace
} // namespace keyswap::simulator
