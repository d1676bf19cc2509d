#include "simulator/platform/numa_mode.hpp"

#include "simulator/platform/key_place.hpp"
#include "simulator/platform/running_cost.hpp"
#include "simulator/platform/topology.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

TEST(NumaMode, IsTheEndOfAName) {
    EXPECT_EQ(split_numa_mode("dgx-a100:nps4").platform, "dgx-a100");
    EXPECT_EQ(split_numa_mode("dgx-a100:nps4").nodes, 4U);
    EXPECT_EQ(split_numa_mode("box.toml:snc2").nodes, 2U);
    EXPECT_EQ(split_numa_mode("dgx-a100:nps1").nodes, 1U);
    for (char const* text : {"dgx-a100", "dgx-a100:nps3", "nps4", "cluster:dgx-a100:2"}) {
        EXPECT_EQ(split_numa_mode(text).platform, text);
        EXPECT_EQ(split_numa_mode(text).nodes, 1U);
    }
    EXPECT_EQ(*load_platform("dgx-a100:nps1"), *load_platform("dgx-a100"));
    EXPECT_FALSE(load_platform("dgx-a100:nps4:nps2"));
    EXPECT_EQ((*load_running_cost("dgx-a100:nps4"))->power_W,
              (*load_running_cost("dgx-a100"))->power_W);
}

TEST(NumaMode, DividesASocketsMemoryAndDevices) {
    auto const whole = load_platform("dgx-a100");
    auto const divided = load_platform("dgx-a100:nps4");
    ASSERT_TRUE(divided) << divided.error().message();
    ASSERT_EQ(divided->cpus.size(), 8U);
    for (Cpu const& node : divided->cpus) {
        EXPECT_EQ(4 * node.memory_read_Bps, whole->cpus[0].memory_read_Bps);
        EXPECT_EQ(4 * node.memory_bytes, whole->cpus[0].memory_bytes);
    }
    EXPECT_EQ(divided->cpus[4].name, "cpu1.0");
    EXPECT_EQ(divided->cpus[4].socket, 1U);
    // Two PCIe switches per socket: on its first and its third node.
    auto const places =
        chunk_memories({KeyPlace::Kind::local, 0}, *divided, *Topology::of(*divided));
    EXPECT_EQ(places[0], host_memory(0));
    EXPECT_EQ(places[2], host_memory(2));
    EXPECT_EQ(places[7], host_memory(6));
    auto const again = parse_platform(write_platform(*divided), "written");
    ASSERT_TRUE(again) << again.error().message();
    EXPECT_EQ(*again, *divided);
    auto const cluster = load_platform("cluster:dgx-a100:nps2:2");
    ASSERT_TRUE(cluster) << cluster.error().message();
    EXPECT_EQ(cluster->cpus.size(), 8U);
}

/// Bandwidth of the bottleneck on the route from a memory to a GPU, in GB/s.
double reached_GBps(Topology const& topology, MemoryPlace from, std::uint32_t gpu) {
    double least = 1e12;
    Route const route = *topology.route(from, gpu_memory(gpu));
    for (ChannelShare const& share : route.shares) {
        least = std::min(least, topology.channels()[share.channel].capacity_Bps / share.weight);
    }
    return least * 1e-9;
}

TEST(NumaMode, OneNodeServesAllGpusWithItsOwnChannels) {
    auto const platform = load_platform("dgx-a100:nps4");
    auto const topology = *Topology::of(*platform);
    // Two channels of DDR4-3200, at the efficiency 0.85 of streaming.
    EXPECT_DOUBLE_EQ(topology.channels()[topology.read_channel(0)].capacity_Bps, 51.2e9 * 0.85);
    // A GPU's own link is narrower than any node's fabric; interleaved pages use all channels.
    double const pcie = reached_GBps(topology, host_memory(0), 0);
    EXPECT_LT(pcie, 51.2 * 0.85);
    for (std::uint32_t node = 0; node < 4; ++node) {
        EXPECT_DOUBLE_EQ(reached_GBps(topology, host_memory(node), 0), pcie);
    }
}

TEST(NumaMode, RefusesASocketThatIsDividedAlready) {
    Platform platform = *load_platform("dgx-a100:nps4");
    auto const again = in_numa_mode(platform, {"dgx-a100:nps4", "snc2", 2});
    ASSERT_FALSE(again);
    EXPECT_EQ(again.error().problem, "a socket of this platform has several NUMA nodes already");
    platform = *load_platform("ac922");
    platform.routes = {{"cpu0", "gpu0", {"nvlink cpu-gpu0"}}};
    EXPECT_FALSE(in_numa_mode(platform, {"ac922", "nps2", 2}));
}

} // namespace
} // namespace keyswap::simulator
