// Collectives without a sort: times computed by hand.

#include "simulator/prediction/collective.hpp"

#include "simulator/platform/topology.hpp"
#include "simulator/study/link_change.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace keyswap::simulator {
namespace {

/// Four GPUs; each pair has a link of 50 GB/s with efficiency 1.
Machine mesh() {
    std::string text = R"(
name = "mesh"
description = "four GPUs"
[[device]]
name = "V100"
profile = "V100"
memory = "32 GB"
hbm_bandwidth = "900 GB/s"
origin = { rest = "assumed: a test" }
[[cpu]]
name = "cpu0"
memory = "256 GB"
memory_read = "100 GB/s"
memory_write = "100 GB/s"
origin = { rest = "assumed: a test" }
[[gpu]]
name = "gpu{0-3}"
device = "V100"
[[link_kind]]
name = "pcie"
bandwidth = "16 GB/s"
latency = "0 us"
origin = { rest = "measured: a test" }
[[link_kind]]
name = "nvlink"
bandwidth = "50 GB/s"
latency = "0 us"
origin = { rest = "measured: a test" }
[[link]]
name = "pcie gpu{0-3}"
kind = "pcie"
between = ["cpu0", "gpu{0-3}"]
)";
    for (char const* const pair : {"01", "02", "03", "12", "13", "23"}) {
        std::string const from = std::string("gpu") + pair[0];
        std::string const to = std::string("gpu") + pair[1];
        text += "[[link]]\nname = \"nvlink " + from + "-" + to +
                "\"\nkind = \"nvlink\"\nbetween = [\"" + from + "\", \"" + to + "\"]\n";
    }
    auto platform = parse_platform(text, "mesh.toml");
    EXPECT_TRUE(platform) << platform.error().message();
    auto machine = load_machine("ac922", std::nullopt);
    EXPECT_TRUE(machine);
    machine->platform = *platform;
    return *machine;
}

CollectivePrediction predicted(Machine const& machine, CollectiveKind kind, std::uint64_t bytes) {
    std::vector<std::uint32_t> gpus(machine.platform.gpus.size());
    std::iota(gpus.begin(), gpus.end(), 0U);
    auto prediction = predict_collective(machine, {kind, bytes, gpus, {}});
    EXPECT_TRUE(prediction) << prediction.error().message();
    return *prediction;
}

constexpr double copies_over_kernels = 368.0 / 330.0;
constexpr double launch_ms = 0.025;

TEST(Collective, AnAllToAllUsesAllLinksOfAMeshAtOnce) {
    auto const run = predicted(mesh(), CollectiveKind::all_to_all, 400'000'000);
    // 100 MB over each link, in each direction.
    EXPECT_NEAR(run.total_ms, launch_ms + 2.0 * copies_over_kernels, 1e-3);
    EXPECT_NEAR(run.algorithm_GBps(), 0.4 / run.total_ms * 1e3, 1e-6);
    EXPECT_NEAR(run.bus_GBps(), 0.75 * run.algorithm_GBps(), 1e-9);
    EXPECT_LT(run.low_ms, run.total_ms);
    EXPECT_GT(run.high_ms, run.total_ms);
}

TEST(Collective, AnAllGatherOfAMeshIsAsFastAndAScatterLeavesOneGpu) {
    auto const gathered = predicted(mesh(), CollectiveKind::all_gather, 400'000'000);
    EXPECT_EQ(gathered.way, CollectiveWay::direct);
    EXPECT_NEAR(gathered.total_ms, launch_ms + 2.0 * copies_over_kernels, 1e-3);
    auto const scattered = predicted(mesh(), CollectiveKind::scatter, 400'000'000);
    EXPECT_NEAR(scattered.total_ms, launch_ms + 2.0 * copies_over_kernels, 1e-3);
    for (ChannelUse const& use : scattered.timeline.channels) {
        EXPECT_TRUE(use.size_bytes == 0.0 || use.name.find("gpu0 >") != std::string::npos ||
                    use.name.starts_with("HBM"))
            << use.name;
    }
}

TEST(Collective, AnAllGatherBetweenNodesTakesRingsOverEveryAdapter) {
    auto const cluster = load_machine("cluster:dgx-h100:2", std::nullopt);
    ASSERT_TRUE(cluster);
    auto const run = predicted(*cluster, CollectiveKind::all_gather, 8'000'000'000);
    EXPECT_EQ(run.way, CollectiveWay::rings);
    // An eighth of 15/16 of the bytes leaves a node over each of eight adapters of 50 GB/s.
    EXPECT_NEAR(run.total_ms, 8000.0 * 15 / 16 / 8 / 50, 2.0);
    // An all-to-all sends half of each GPU's bytes to the other node.
    auto const all = predicted(*cluster, CollectiveKind::all_to_all, 8'000'000'000);
    EXPECT_NEAR(all.total_ms, 8000.0 / 2 / 50, 4.0);
}

TEST(Collective, AMissingLinkSendsCopiesTheLongWayAndTrafficTakesItsPart) {
    auto const whole = predicted(mesh(), CollectiveKind::all_to_all, 400'000'000);
    auto const without = with_link_changes(mesh(), {"", {missing_part("nvlink gpu0-gpu3")}});
    ASSERT_TRUE(without) << without.error().message();
    auto const around = predicted(*without, CollectiveKind::all_to_all, 400'000'000);
    EXPECT_GT(around.total_ms, 2.9 * whole.total_ms); // over PCIe, at 16 GB/s
    auto const traffic = parse_background("nvlink 25 GB/s");
    ASSERT_TRUE(traffic);
    auto const busy = with_link_changes(mesh(), {"", {*traffic}});
    ASSERT_TRUE(busy) << busy.error().message();
    auto const slowed = predicted(*busy, CollectiveKind::all_to_all, 400'000'000);
    EXPECT_NEAR(slowed.total_ms - launch_ms, 2.0 * (whole.total_ms - launch_ms), 1e-3);
}

TEST(Collective, BackgroundTrafficDivertsNoCopy) {
    auto const machine = load_machine("cluster:dgx-a100:2", std::nullopt);
    auto const traffic = parse_background("n0.pcie plx1 3 GB/s");
    ASSERT_TRUE(machine && traffic);
    auto const busy = with_link_changes(*machine, {"", {*traffic}});
    ASSERT_TRUE(busy) << busy.error().message();
    auto const before = Topology::of(machine->platform);
    auto const after = Topology::of(busy->platform);
    ASSERT_TRUE(before && after);
    for (std::uint32_t cpu = 0; cpu < 4; ++cpu) {
        for (std::uint32_t gpu = 0; gpu < 16; ++gpu) {
            MemoryPlace const host = host_memory(cpu);
            MemoryPlace const device = gpu_memory(gpu);
            EXPECT_EQ(after->route(host, device)->links, before->route(host, device)->links);
            EXPECT_EQ(after->route(device, host)->links, before->route(device, host)->links);
        }
    }
}

TEST(Collective, TrafficIsSummedInAnyOrderOfTheChanges) {
    auto const machine = load_machine("ac922", std::nullopt);
    ASSERT_TRUE(machine);
    auto const changed = [&](std::string_view text) {
        auto const changes = parse_link_changes(text);
        auto const result = changes.and_then(
            [&](LinkChanges const& known) { return with_link_changes(*machine, known); });
        return result ? Topology::of(result->platform)->capacities() : std::vector<double>{};
    };
    auto const sum = changed("xbus x2 + busy xbus 20 GB/s");
    ASSERT_FALSE(sum.empty());
    EXPECT_EQ(changed("busy xbus 20 GB/s + xbus x2"), sum);
    EXPECT_EQ(changed("busy xbus 5 GB/s + xbus x2 + busy xbus 15 GB/s"), sum);
    auto const of_both = changed("busy nvlink2x3-peer 5 GB/s + busy nvlink gpu0-gpu1 7 GB/s");
    ASSERT_FALSE(of_both.empty());
    EXPECT_EQ(changed("busy nvlink gpu0-gpu1 7 GB/s + busy nvlink2x3-peer 5 GB/s"), of_both);
    EXPECT_TRUE(changed("busy xbus 20 GB/s + busy xbus 40 GB/s").empty());
}

TEST(Collective, ChangesThatFitNoPartAreRefused) {
    auto const refusal = [](LinkChange const& change) {
        auto const changed = with_link_changes(mesh(), {"", {change}});
        return changed ? std::string("accepted") : changed.error().message();
    };
    EXPECT_NE(refusal(missing_part("gpu9")).find("--without"), std::string::npos);
    EXPECT_NE(refusal(missing_part("cpu0")).find("CPU"), std::string::npos);
    EXPECT_NE(refusal(*parse_background("nvlink 50 GB/s")).find("takes all of"), std::string::npos);
    EXPECT_NE(refusal(*parse_background("xbus 5 GB/s")).find("--background"), std::string::npos);
    for (char const* const text : {"", "nvlink", "20 GB/s", "nvlink 20", "nvlink fast GB/s"}) {
        EXPECT_FALSE(parse_background(text)) << text;
    }
    EXPECT_TRUE(parse_link_changes("without gpu3 + busy nvlink 5 GB/s + nvlink x2"));
    EXPECT_FALSE(parse_link_changes("busy nvlink"));
}

TEST(Collective, WhatNothingTravelsInIsRefused) {
    EXPECT_FALSE(predict_collective(mesh(), {CollectiveKind::scatter, 1000, {0}, {}}));
    EXPECT_FALSE(predict_collective(mesh(), {CollectiveKind::scatter, 1000, {0, 1, 1}, {}}));
    EXPECT_FALSE(predict_collective(mesh(), {CollectiveKind::scatter, 1000, {0, 4}, {}}));
    auto const large =
        predict_collective(mesh(), {CollectiveKind::all_to_all, 20'000'000'000, {0, 1, 2, 3}, {}});
    ASSERT_FALSE(large); // 32 GB hold send and receive buffers of 16 GB
    EXPECT_NE(large.error().message().find("at most 16,000,000,000"), std::string::npos);
    EXPECT_FALSE(parse_collective("all-reduce", "--operation"));
    EXPECT_EQ(parse_collective("all-gather", "--operation"), CollectiveKind::all_gather);
}

} // namespace
} // namespace keyswap::simulator
