#include "simulator/platform/platform.hpp"

#include "simulator/platform/platform_cluster.hpp"
#include "simulator/platform/running_cost.hpp"
#include "simulator/platform/storage.hpp"
#include "simulator/platform/topology.hpp"
#include "traces/errors/input_limits.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sys/stat.h>

namespace keyswap::simulator {
namespace {

/// A valid file; each test plants one mistake in it.
std::string const good = R"(name = "box"
[[device]]
name = "D"
memory = "40 GiB"
hbm_bandwidth = "1555 GB/s"
origin = "datasheet: D"
[[cpu]]
name = "cpu0"
memory = "512 GB"
memory_read = "200 GB/s"
memory_write = "200 GB/s"
origin = "datasheet: C"
[[gpu]]
name = "gpu0"
device = "D"
[[gpu]]
name = "gpu1"
device = "D"
[[link_kind]]
name = "pcie"
bandwidth = "32 GB/s"
latency = "1 us"
origin = "datasheet: P"
[[link]]
name = "pcie0"
kind = "pcie"
between = ["cpu0", "gpu0"]
[[link]]
name = "pcie1"
kind = "pcie"
between = ["cpu0", "gpu1"]
)";

/// Error message after replacing `from` by `to` in the valid file.
std::string planted(std::string const& from, std::string const& to) {
    std::string text = good;
    std::size_t const at = text.find(from);
    EXPECT_NE(at, std::string::npos);
    text.replace(at, from.size(), to);
    auto const platform = parse_platform(text, "box.toml");
    return platform ? "accepted" : platform.error().message();
}

void expect_in(std::string const& message, std::vector<std::string> const& parts) {
    for (std::string const& part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks " << part;
    }
}

TEST(Platform, AFileIsReadAsWritten) {
    auto const platform = parse_platform(good, "box.toml");
    ASSERT_TRUE(platform.has_value()) << platform.error().message();
    EXPECT_EQ(platform->links.size(), 2U);
    EXPECT_EQ(platform->link_kinds[0].latency, microseconds(1));
    EXPECT_EQ(platform->devices[0].origins.at("memory"), "datasheet: D");
}

TEST(Platform, EachMistakeIsNamedWithFileLineAndRemedy) {
    expect_in(planted("[\"cpu0\", \"gpu1\"]", "[\"cpu0\", \"gpu7\"]"),
              {"box.toml:28: unknown node \"gpu7\"", "known: cpu0, gpu0, gpu1"});
    expect_in(planted("kind = \"pcie\"\nbetween = [\"cpu0\", \"gpu1\"]",
                      "kind = \"nvlink\"\nbetween = [\"cpu0\", \"gpu1\"]"),
              {"box.toml:28: unknown kind of link \"nvlink\""});
    expect_in(planted("[\"cpu0\", \"gpu1\"]", "[\"cpu0\", \"gpu0\"]"),
              {"box.toml:16: no route from cpu0 to gpu1", "[[link]]"});
    expect_in(planted("\"32 GB/s\"", "\"0 GB/s\""), {"box.toml:21: link_kind pcie", "is zero"});
    expect_in(planted("\"32 GB/s\"", "\"-3 GB/s\""), {"box.toml:21:", "is negative"});
    expect_in(planted("\"32 GB/s\"", "32"), {"box.toml:21:", "has no unit", "\"300 GB/s\""});
    expect_in(planted("\"32 GB/s\"", "\"32\""), {"box.toml:21:", "has no unit"});
    expect_in(planted("\"1 us\"", "\"1 GB/s\""), {"box.toml:22:", "\"GB/s\" is not a unit"});
    expect_in(planted("\"32 GB/s\"", "\"32 GiB/s\""),
              {"box.toml:21: mixed units: GiB/s here, GB/s on line 5"});
    expect_in(planted("\"32 GB/s\"", "\"256 Gb/s\""), {"box.toml:21: mixed units: Gb/s here"});
    expect_in(planted("name = \"gpu1\"", "name = \"gpu0\""),
              {"box.toml:16: duplicate name \"gpu0\""});
    expect_in(planted("name = \"pcie1\"", "name = \"pcie0\""),
              {"box.toml:28: duplicate name \"pcie0\""});
    expect_in(planted("origin = \"datasheet: P\"\n", ""),
              {"box.toml:19:", "\"bandwidth\" has no origin"});
    expect_in(planted("datasheet: P", "somebody said"),
              {"box.toml:19:", "somebody said", "\"measured: \""});
    expect_in(planted("bandwidth = \"32", "bandwith = \"32"),
              {"box.toml:21:", "unknown key \"bandwith\""});
    expect_in(planted("device = \"D\"", "device = \"E\""), {"box.toml:13: unknown device \"E\""});
    expect_in(planted("latency = \"1 us\"", "efficiency = 1.2\nlatency = \"1 us\""),
              {"box.toml:22:", "not a number from 0.001 to 1"});
    expect_in(planted("name = \"gpu1\"", "name = \"gpu{1-2\""),
              {"box.toml:16:", "not a valid range"});
    expect_in(planted("[[gpu]]\nname = \"gpu1\"", "[[gpu\nname = \"gpu1\""), {"box.toml:16:"});
}

/// Also if the prediction does not need these tables.
TEST(Platform, MistakesInTablesOfFewQuestionsAreNamed) {
    auto const with = [](std::string const& table) {
        auto const platform = parse_platform(good + table, "box.toml");
        return platform ? "accepted" : platform.error().message();
    };
    std::string const storage = "[storage]\nread = \"7 GiB/s\"\nwrite = \"5 GiB/s\"\n"
                                "latency = \"100 us\"\norigin = \"assumed: a guess\"\n";
    EXPECT_EQ(with(storage), "accepted"); // in units of its own
    expect_in(with(storage + "total = 7\n"), {"box.toml:", "storage: \"total\" has no unit"});
    expect_in(with("[[storage]]\n"), {"box.toml:", "\"storage\" is not a table", "[storage]"});
    expect_in(with("[running]\norigin = \"assumed: a guess\"\npower_W = -1\n"),
              {"box.toml:", "\"power_W\" is not a number", "whole number"});
    expect_in(with("[[running]]\n"), {"\"running\" is not a table"});
}

TEST(Platform, QuantitiesThatNoMachineHasAreNamed) {
    expect_in(planted("\"32 GB/s\"", "\"32 B/s\""), {"box.toml:21:", "1 MB/s to 1 PB/s"});
    expect_in(planted("\"32 GB/s\"", "\"2000 TB/s\""), {"box.toml:21:", "1 MB/s to 1 PB/s"});
    expect_in(planted("\"1 us\"", "\"3000000 s\""), {"box.toml:22:", "give 1 s at most"});
    expect_in(planted("latency = \"1 us\"", "efficiency = 1e-12\nlatency = \"1 us\""),
              {"box.toml:22:", "not a number from 0.001 to 1"});
    expect_in(planted("latency = \"1 us\"", "efficiency = nan\nlatency = \"1 us\""),
              {"box.toml:22:", "not a number from 0.001 to 1"});
}

TEST(Platform, ALimitOfBothDirectionsIsAtLeastThatOfOne) {
    std::string const latency = "latency = \"1 us\"";
    std::string const total = "bandwidth_total = \"32 GB/s\"\n" + latency;
    EXPECT_EQ(planted(latency, total), "accepted");
    expect_in(
        planted(latency, "bandwidth_total = \"31 GB/s\"\n" + latency),
        {"box.toml:22: link_kind pcie: \"bandwidth_total\"", "31 GB/s", "the 32 GB/s of one"});
    expect_in(planted(latency, "bandwidth_back = \"33 GB/s\"\n" + total),
              {"box.toml:23: link_kind pcie: \"bandwidth_total\"", "the 33 GB/s of one"});
    std::string const write = "memory_write = \"200 GB/s\"\n";
    EXPECT_EQ(planted(write, write + "memory_total = \"200 GB/s\"\n"), "accepted");
    expect_in(planted(write, write + "memory_total = \"199 GB/s\"\n"),
              {"box.toml:12: cpu cpu0: \"memory_total\"", "the 200 GB/s of one"});
}

/// The ends of a range are valid values.
TEST(Platform, QuantitiesAtTheirLimitsAreTaken) {
    for (char const* const bandwidth : {"1 MB/s", "1000 TB/s"}) {
        EXPECT_EQ(planted("32 GB/s", bandwidth), "accepted");
    }
    for (char const* const latency : {"0 us", "1 s"}) {
        EXPECT_EQ(planted("\"1 us\"", "\"" + std::string(latency) + "\""), "accepted");
    }
    expect_in(planted("\"1 us\"", "\"1000001 us\""), {"give 1 s at most"});
    struct Limits {
        std::string key;
        std::vector<char const*> taken;
        std::vector<char const*> refused;
    };
    std::string const of_cpu = "memory_write = \"200 GB/s\"\n";
    for (Limits const& limits :
         std::vector<Limits>{{"memory_write_cost", {"1", "1.0", "100.0"}, {"0.99", "100.01"}},
                             {"memory_total_efficiency", {"0.001", "1.0"}, {"0.0009", "1.01"}},
                             {"socket", {"0", "1000000"}, {"-1", "1000001", "0.5"}},
                             {"machine", {"0", "1000000"}, {"-1", "1000001"}}}) {
        for (char const* const value : limits.taken) {
            EXPECT_EQ(planted(of_cpu, of_cpu + limits.key + " = " + value + "\n"), "accepted")
                << limits.key << value;
        }
        for (char const* const value : limits.refused) {
            expect_in(planted(of_cpu, of_cpu + limits.key + " = " + value + "\n"),
                      {"box.toml:12: cpu cpu0: \"" + limits.key + "\""});
        }
    }
    std::string const of_device = "hbm_bandwidth = \"1555 GB/s\"\n";
    for (char const* const key : {"engines_to_device", "engines_to_host", "engines_peer"}) {
        for (auto const& [count, message] : {std::pair{"1", "accepted"},
                                             std::pair{"1000", "accepted"},
                                             std::pair{"0", "is not a count from 1 to 1,000"},
                                             std::pair{"1001", "is not a count from 1 to 1,000"}}) {
            expect_in(planted(of_device, of_device + key + " = " + count + "\n"), {message});
        }
    }
}

TEST(Platform, BracesInAnOriginAreItsWords) {
    EXPECT_EQ(planted("datasheet: P", "measured: between GPUs {0-3}"), "accepted");
    EXPECT_EQ(planted("datasheet: P", "measured: between GPUs {3-"), "accepted");
}

TEST(Platform, BombsAreRefusedByTheirLine) {
    expect_in(planted("name = \"gpu1\"", "name = \"gpu{0-99999}\""),
              {"box.toml:16:", "more tables than it may", "raise --link-limit"});
    expect_in(planted("name = \"gpu1\"", "name = \"gpu{0-4294967295}\""),
              {"box.toml:16:", "raise --link-limit"});
    expect_in(planted("name = \"gpu1\"", "name = \"gpu{1-4000}\""),
              {"box.toml:16: the platform has 4001 GPUs", "raise --gpu-limit"});
    expect_in(planted("name = \"cpu0\"", "name = \"cpu{0-4000}\""),
              {"the platform has 4001 CPUs", "raise --gpu-limit"});
    expect_in(planted("[[link_kind]]",
                      "[[gpu]]\nname = \"g{0-1999}\"\ndevice = \"D\"\n"
                      "[[switch]]\nname = \"s{0-40000}\"\n[[link_kind]]"),
              {"routes from 2003 memories over 42004 nodes", "raise --memory-limit"});
    std::string const letters(10'000, 'x');
    expect_in(planted("name = \"gpu1\"", "name = \"gpu{1-2000}" + letters + "\""),
              {"box.toml:16:", "more text than it may have", "raise --memory-limit"});
    std::string deep = "\na";
    for (int i = 0; i < 100'000; ++i) {
        deep += ".a";
    }
    auto const nested = parse_platform(good + deep + " = 1\n", "box.toml");
    ASSERT_FALSE(nested.has_value());
    EXPECT_EQ(nested.error().subject, "box.toml:33");
    testing::TemporaryFolder const folder;
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    ASSERT_TRUE(set_limit(Limit::wait, 0).has_value());
    auto const pipe = load_platform((folder / "pipe").string());
    reset_limits();
    ASSERT_FALSE(pipe.has_value());
    EXPECT_NE(pipe.error().message().find("pipe that no process has written to"),
              std::string::npos);
    auto const endless = load_platform("/dev/zero");
    ASSERT_FALSE(endless.has_value());
    EXPECT_NE(endless.error().message().find("raise --memory-limit"), std::string::npos);
}

TEST(Platform, RangesCountTablesAndPairsShareASwitch) {
    auto const dgx = load_platform("dgx-a100");
    ASSERT_TRUE(dgx.has_value()) << dgx.error().message();
    ASSERT_EQ(dgx->gpus.size(), 8U);
    auto const topology = Topology::of(*dgx);
    ASSERT_TRUE(topology.has_value());
    // GPUs 0 and 1 are on plx0, GPU 2 is on plx1: whether their routes from the host share the
    // first link differs.
    auto const first_link = [&](std::uint32_t gpu) {
        return topology->route(host_memory(0), gpu_memory(gpu))->links.front();
    };
    EXPECT_EQ(first_link(0), first_link(1));
    EXPECT_NE(first_link(0), first_link(2));
}

TEST(Platform, GpusOfADgxTalkOverNvSwitchAndNotOverTheirSharedPcieSwitch) {
    auto const dgx = load_platform("dgx-a100");
    auto const topology = Topology::of(*dgx);
    auto const route = topology->route(gpu_memory(0), gpu_memory(1));
    ASSERT_EQ(route->links.size(), 2U); // as many as over plx0: the wider route wins
    EXPECT_EQ(dgx->links[route->links[0]].name, "nvlink gpu0");
    EXPECT_EQ(dgx->links[route->links[1]].name, "nvlink gpu1");
}

TEST(Platform, RemoteGpusOfAnAc922AreReachedOverTheXBus) {
    auto const ac922 = load_platform("ac922");
    ASSERT_TRUE(ac922.has_value()) << ac922.error().message();
    auto const topology = Topology::of(*ac922);
    auto const crosses_xbus = [&](MemoryPlace a, MemoryPlace b) {
        auto const route = topology->route(a, b);
        for (std::uint32_t const link : route->links) {
            if (ac922->links[link].name == "xbus") {
                return true;
            }
        }
        return false;
    };
    EXPECT_FALSE(crosses_xbus(host_memory(0), gpu_memory(1)));
    EXPECT_TRUE(crosses_xbus(host_memory(0), gpu_memory(2)));
    EXPECT_FALSE(crosses_xbus(gpu_memory(2), gpu_memory(3)));
    EXPECT_TRUE(crosses_xbus(gpu_memory(1), gpu_memory(3)));
}

TEST(Platform, AClusterCrossesTheSpineOnlyBetweenRails) {
    auto const cluster = load_platform("cluster:dgx-h100:4");
    ASSERT_TRUE(cluster.has_value()) << cluster.error().message();
    EXPECT_EQ(cluster->gpus.size(), 32U);
    auto const topology = Topology::of(*cluster);
    ASSERT_TRUE(topology.has_value());
    // GPU 8 is GPU 0 of node 1: pex, nic, leaf, nic, pex and the links at both ends are 6 links.
    // GPU 9 is on another rail: two trunks more. Within a node: NVSwitch.
    EXPECT_EQ(topology->route(gpu_memory(0), gpu_memory(8))->links.size(), 6U);
    auto const across = topology->route(gpu_memory(0), gpu_memory(9));
    ASSERT_EQ(across->links.size(), 8U);
    EXPECT_EQ(cluster->links[across->links[3]].name, "leaf0-spine");
    EXPECT_EQ(cluster->links[across->links[4]].name, "leaf1-spine");
    EXPECT_EQ(topology->route(gpu_memory(0), gpu_memory(1))->links.size(), 2U);
    EXPECT_FALSE(load_platform("cluster:dgx-h100:x").has_value());
}

/// Drawings place cluster nodes by their links.
TEST(Platform, NothingOfAClusterHasAPosition) {
    Platform node = *load_platform("dgx-a100");
    node.cpus.front().position = {1.0, 2.0};
    node.gpus.front().position = {3.0, 4.0};
    node.switches.front().position = {5.0, 6.0};
    auto const cluster = make_cluster({{node, 2}});
    ASSERT_TRUE(cluster) << cluster.error().message();
    for (Cpu const& cpu : cluster->cpus) {
        EXPECT_FALSE(cpu.position) << cpu.name;
    }
    for (Gpu const& gpu : cluster->gpus) {
        EXPECT_FALSE(gpu.position) << gpu.name;
    }
    for (Switch const& inner : cluster->switches) {
        EXPECT_FALSE(inner.position) << inner.name;
    }
}

TEST(Platform, AnyNodesFormAClusterWithAnAdapterForEachGpuWhereTheirFilesHaveNone) {
    auto const assumed = load_platform("cluster:dgx-a100:4");
    ASSERT_TRUE(assumed.has_value()) << assumed.error().message();
    EXPECT_EQ(assumed->gpus.size(), 32U);
    EXPECT_EQ(std::ranges::count(assumed->links, "adapter", &Link::kind), 32);
    auto const mixed = load_platform("cluster:dgx-h100:1+gb200-nvl72:2");
    ASSERT_TRUE(mixed.has_value()) << mixed.error().message();
    EXPECT_EQ(mixed->gpus.size(), 8U + 2 * 72);
    EXPECT_EQ(mixed->gpus[8].name, "n1.gpu0");
    EXPECT_EQ(mixed->cpus[2].machine, 1U);
    for (Platform const* const cluster : {&*mixed, &*assumed}) {
        auto const again = parse_platform(write_platform(*cluster), "written");
        EXPECT_TRUE(again.has_value()) << again.error().message();
    }
    for (char const* const text :
         {"cluster:dgx-h100:100+dgx-a100:29", "cluster:dgx-h100:1+", "cluster:+dgx-h100:1"}) {
        EXPECT_FALSE(load_platform(text).has_value()) << text;
    }
}

TEST(Platform, EachGpuBelowNvlinkC2cHasAnAdapterAndEachCpuOfPower9One) {
    auto const rail_of = [](Platform const& cluster, std::uint32_t gpu, std::uint32_t other) {
        auto const topology = *Topology::of(cluster);
        auto const route = topology.route(gpu_memory(gpu), gpu_memory(other));
        for (std::uint32_t const link : route->links) {
            if (cluster.links[link].kind.starts_with("rail")) {
                return cluster.links[link].name + ", " + cluster.links[link].kind;
            }
        }
        return std::string("none");
    };
    Platform const grace = *load_platform("cluster:gb200-nvl72:2");
    EXPECT_EQ(rail_of(grace, 0, 72), "n0.nic0-leaf0, rail");
    EXPECT_EQ(rail_of(grace, 1, 73), "n0.nic1-leaf1, rail");
    Platform const power = *load_platform("cluster:ac922:2");
    EXPECT_EQ(std::ranges::count(power.links, "adapter", &Link::kind), 2 * 2);
    EXPECT_EQ(rail_of(power, 0, 4), "n0.nic0-leaf0, rail 12.5 GB/s");
    EXPECT_EQ(rail_of(power, 1, 5), "n0.nic0-leaf0, rail 12.5 GB/s");
    EXPECT_EQ(rail_of(power, 2, 6), "n0.nic1-leaf1, rail 12.5 GB/s");
}

TEST(Platform, AGivenRouteOverridesTheShortestInBothDirections) {
    std::string const text = good + R"([[link]]
name = "bridge"
kind = "pcie"
between = ["gpu0", "gpu1"]
[[route]]
from = "gpu0"
to = "gpu1"
links = ["pcie0", "pcie1"]
)";
    auto const platform = parse_platform(text, "box.toml");
    ASSERT_TRUE(platform.has_value()) << platform.error().message();
    auto const topology = Topology::of(*platform);
    EXPECT_EQ(topology->route(gpu_memory(0), gpu_memory(1))->links,
              (std::vector<std::uint32_t>{0, 1}));
    EXPECT_EQ(topology->route(gpu_memory(1), gpu_memory(0))->links,
              (std::vector<std::uint32_t>{1, 0}));
}

TEST(Topology, ACopyInPiecesCostsMoreOnALinkThatSaysSo) {
    auto platform = load_platform("dgx-a100");
    ASSERT_TRUE(platform.has_value());
    for (LinkKind& kind : platform->link_kinds) {
        kind.efficiency_pieces = kind.name == "infinity-fabric" ? 0.5 : 1.0;
    }
    auto const topology = Topology::of(*platform);
    ASSERT_TRUE(topology.has_value());
    auto const cost = [&](CopyExtent extent) {
        double most = 0.0;
        Route const route = *topology->route(gpu_memory(4), host_memory(0), extent);
        for (ChannelShare const& share : route.shares) {
            most = std::max(most, share.weight);
        }
        return most;
    };
    EXPECT_DOUBLE_EQ(cost(CopyExtent::whole), 1.0);
    EXPECT_DOUBLE_EQ(cost(CopyExtent::piece), 2.0);
}

TEST(Platform, AllShippedPlatformsAreValidAndSurviveWriting) {
    for (EmbeddedText const& shipped : shipped_platforms()) {
        auto const platform = load_platform(shipped.name);
        ASSERT_TRUE(platform.has_value()) << platform.error().message();
        EXPECT_EQ(platform->name, shipped.name);
        auto const again = parse_platform(write_platform(*platform), "written");
        ASSERT_TRUE(again.has_value()) << again.error().message();
        EXPECT_EQ(*again, *platform);
        EXPECT_EQ(platform_hash(*again), platform_hash(*platform));
    }
    auto const cluster = load_platform("cluster:dgx-h100:2");
    auto const again = parse_platform(write_platform(*cluster), "written");
    ASSERT_TRUE(again.has_value()) << again.error().message();
    EXPECT_EQ(*again, *cluster);
}

TEST(Platform, WrittenFilesKeepTheTablesOfDisksAndRunningCosts) {
    testing::TemporaryFolder const folder;
    for (EmbeddedText const& shipped : shipped_platforms()) {
        auto const tables = write_optional_tables(shipped.name);
        ASSERT_TRUE(tables.has_value()) << tables.error().message();
        std::string const path = (folder.path() / "written.toml").string();
        std::ofstream(path) << write_platform(*load_platform(shipped.name)) << *tables;
        EXPECT_EQ(load_running_cost(path).value(), load_running_cost(shipped.name).value());
        EXPECT_EQ(find_storage(path).value(), find_storage(shipped.name).value());
    }
    EXPECT_TRUE(find_storage("dgx-a100").value());
    EXPECT_FALSE(find_storage("cluster:dgx-a100:2").value());
    EXPECT_TRUE(write_optional_tables("cluster:dgx-a100:2").value().starts_with("\n[running]\n"));
}

} // namespace
} // namespace keyswap::simulator
