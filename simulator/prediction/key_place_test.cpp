// The placement of keys, and its effect on a sort's time.

#include "simulator/platform/key_place.hpp"
#include "simulator/prediction/simulation.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace keyswap::simulator {
namespace {

using Kind = KeyPlace::Kind;

TEST(KeyPlace, IsReadAsItIsWritten) {
    for (KeyPlace const place : {KeyPlace{Kind::node, 0},
                                 KeyPlace{Kind::node, 17},
                                 KeyPlace{Kind::interleaved, 0},
                                 KeyPlace{Kind::local, 0},
                                 KeyPlace{Kind::devices, 0}}) {
        auto const again = parse_key_place(to_string(place), "--input-on");
        ASSERT_TRUE(again) << again.error().message();
        EXPECT_EQ(*again, place);
    }
    for (char const* text : {"", "node", "node:", "node:x", "node:1x", "near", "device"}) {
        EXPECT_FALSE(parse_key_place(text, "--input-on")) << text;
    }
}

std::vector<MemoryPlace> memories(std::string const& platform, KeyPlace place) {
    auto const loaded = load_platform(platform);
    return chunk_memories(place, *loaded, *Topology::of(*loaded));
}

TEST(KeyPlace, LocalIsTheNearestNode) {
    auto const dgx = memories("dgx-a100", {Kind::local, 0});
    EXPECT_EQ(dgx.front(), host_memory(0));
    EXPECT_EQ(dgx.back(), host_memory(1));
    auto const nvl72 = memories("gb200-nvl72", {Kind::local, 0});
    for (std::uint32_t gpu = 0; gpu < 72; ++gpu) {
        EXPECT_EQ(nvl72[gpu], host_memory(gpu / 2)) << gpu;
    }
    auto const cluster = memories("cluster:dgx-h100:2", {Kind::interleaved, 0});
    EXPECT_EQ(cluster.front(), interleaved_memory(0));
    EXPECT_EQ(cluster.back(), interleaved_memory(1));
}

/// A GPU with one link to each node.
MemoryPlace nearest(std::string const& kind_to_0, std::string const& kind_to_1) {
    std::string text = R"(name = "box"
[[device]]
name = "D"
memory = "40 GiB"
hbm_bandwidth = "1555 GB/s"
origin = "datasheet: D"
[[gpu]]
name = "gpu0"
device = "D"
)";
    for (auto const& [kind, rate] : {std::pair{"narrow", "16"}, {"wide", "100"}}) {
        text += "[[link_kind]]\nname = \"" + std::string(kind) + "\"\nbandwidth = \"" + rate +
                " GB/s\"\nlatency = \"1 us\"\norigin = \"datasheet: L\"\n";
    }
    for (auto const& [cpu, kind] : {std::pair{"cpu0", kind_to_0}, {"cpu1", kind_to_1}}) {
        text += "[[cpu]]\nname = \"" + std::string(cpu) +
                "\"\nmemory = \"512 GB\"\nmemory_read = \"200 GB/s\"\nmemory_write = \"200 "
                "GB/s\"\norigin = \"datasheet: C\"\n[[link]]\nname = \"to " +
                cpu + "\"\nkind = \"" + kind + "\"\nbetween = [\"" + cpu + "\", \"gpu0\"]\n";
    }
    auto const platform = parse_platform(text, "box.toml").value();
    return chunk_memories({Kind::local, 0}, platform, *Topology::of(platform)).front();
}

TEST(KeyPlace, OfNodesAsFarTheOneOfTheWidestLinkIsNearest) {
    EXPECT_EQ(nearest("wide", "narrow"), host_memory(0));
    EXPECT_EQ(nearest("narrow", "wide"), host_memory(1));
    EXPECT_EQ(nearest("narrow", "narrow"), host_memory(0));
}

TEST(KeyPlace, OneMachineHasNodeZeroAndSeveralHaveTheirShares) {
    auto const published = [](char const* platform) {
        return default_key_place(*load_platform(platform), KeyLayout::published);
    };
    EXPECT_EQ(published("dgx-a100"), (KeyPlace{Kind::node, 0}));
    EXPECT_EQ(published("cluster:dgx-h100:2").kind, Kind::local);
    EXPECT_EQ(published("gb200-nvl72").kind, Kind::local);
    EXPECT_EQ(default_key_place(*load_platform("dgx-a100"), KeyLayout::near_gpus).kind,
              Kind::local);
}

TEST(KeyPlace, AnInterleavedByteIsReadFromEveryNodeInPart) {
    auto const platform = load_platform("dgx-a100");
    auto const topology = *Topology::of(*platform);
    auto const route = topology.route(interleaved_memory(0), gpu_memory(0));
    ASSERT_TRUE(route);
    double read = 0.0;
    double into_gpu = 0.0;
    for (ChannelShare const& share : route->shares) {
        for (std::uint32_t node = 0; node < 2; ++node) {
            if (share.channel == topology.read_channel(node)) {
                EXPECT_DOUBLE_EQ(share.weight, 0.5);
                read += share.weight;
            }
        }
        into_gpu += share.channel == topology.hbm_channel(0) ? share.weight : 0.0;
    }
    EXPECT_DOUBLE_EQ(read, 1.0);
    EXPECT_DOUBLE_EQ(into_gpu, 1.0);
}

Simulation simulated(Machine const& machine, SimulationRequest request) {
    if (request.gpus.empty()) {
        request.gpus.resize(machine.platform.gpus.size());
        std::iota(request.gpus.begin(), request.gpus.end(), 0U);
    }
    auto simulation = simulate(machine, std::move(request));
    EXPECT_TRUE(simulation) << simulation.error().message();
    return std::move(*simulation);
}

double total_ms(std::string const& platform,
                std::uint64_t key_count,
                std::optional<KeyPlace> input = {},
                std::optional<KeyPlace> output = {}) {
    auto const machine = load_machine(platform, std::nullopt);
    EXPECT_TRUE(machine);
    SimulationRequest request;
    request.algorithm = "rmg-rotated";
    request.config.key_count = key_count;
    request.input = input;
    request.output = output;
    request.engine.rate_tolerance = 1e-2;
    return to_milliseconds(simulated(*machine, std::move(request)).timeline.makespan);
}

TEST(KeyPlace, ASecondMachineIsNoBurdenToTheFirst) {
    EXPECT_LE(total_ms("cluster:dgx-h100:2", 20'000'000'000),
              total_ms("dgx-h100", 20'000'000'000, KeyPlace{Kind::local, 0}));
}

TEST(KeyPlace, WhatLiesOnTheGpusIsNotCopiedAndCanBeCopiedBackAlone) {
    double const host = total_ms("dgx-a100", 1'000'000'000);
    double const devices = total_ms("dgx-a100", 1'000'000'000, KeyPlace{Kind::devices, 0});
    double const back =
        total_ms("dgx-a100", 1'000'000'000, KeyPlace{Kind::devices, 0}, KeyPlace{Kind::node, 0});
    EXPECT_LT(devices, back);
    EXPECT_LT(back, host);
    EXPECT_LT(total_ms("dgx-a100", 1'000'000'000, KeyPlace{Kind::local, 0}), host);
}

TEST(KeyPlace, WhatASortCannotHaveIsRefused) {
    auto const machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request;
    request.gpus = {0, 1};
    request.config.key_count = 1000;
    request.algorithm = "het-merge";
    request.input = KeyPlace{Kind::devices, 0};
    EXPECT_EQ(simulate(*machine, request).error().subject, "--input-on");
    request.input = KeyPlace{Kind::local, 0};
    EXPECT_EQ(simulate(*machine, request).error().subject, "--output-on");
    request.output = KeyPlace{Kind::devices, 0};
    EXPECT_EQ(simulate(*machine, request).error().problem,
              "'het-merge' does not sort chunks that lie on the GPUs");
    request.output = KeyPlace{Kind::node, 0};
    EXPECT_TRUE(simulate(*machine, request));
    request.output = KeyPlace{Kind::node, 2};
    EXPECT_EQ(simulate(*machine, request).error().subject, "--output-on");
}

/// Seconds to read or write `bytes`, spread over all memories that hold them, at full
/// bandwidth.
double memory_seconds(Machine const& machine,
                      std::vector<MemoryPlace> const& places,
                      double bytes,
                      bool write) {
    auto const topology = *Topology::of(machine.platform);
    double capacity = 0.0;
    std::set<std::uint32_t> nodes;
    for (MemoryPlace const place : places) {
        for (std::uint32_t node = 0; node < machine.platform.cpus.size(); ++node) {
            bool const holds = place == host_memory(node) ||
                               place == interleaved_memory(machine.platform.cpus[node].machine);
            if (holds && nodes.insert(node).second) {
                std::uint32_t const channel =
                    write ? topology.write_channel(node) : topology.read_channel(node);
                capacity += topology.channels()[channel].capacity_Bps;
            }
        }
    }
    return capacity > 0.0 ? bytes / capacity : 0.0;
}

TEST(KeyPlace, NoPredictionIsFasterThanItsBytesOverTheMemoriesThatHoldThem) {
    for (char const* platform : {"ac922", "dgx-a100", "hgx-h200", "pcie-4gpu", "gb200-nvl72"}) {
        auto const machine = load_machine(platform, std::nullopt);
        ASSERT_TRUE(machine);
        for (Kind const kind : {Kind::node, Kind::interleaved, Kind::local}) {
            for (char const* algorithm : {"rmg-paper", "rmg-fast", "p2p-merge"}) {
                SimulationRequest request;
                request.algorithm = algorithm;
                request.config.key_count = 1'000'000'000;
                request.gpus = {0, 1, 2, 3};
                request.input = KeyPlace{kind, 0};
                auto const result = simulated(*machine, request);
                std::vector<MemoryPlace> places = memories(platform, {kind, 0});
                places.resize(4);
                double const bytes = 4e9;
                EXPECT_GE(to_seconds(result.timeline.makespan),
                          memory_seconds(*machine, places, bytes, false) +
                              memory_seconds(*machine, places, bytes, true))
                    << platform << ' ' << algorithm << ' ' << to_string(*request.input);
            }
        }
    }
}

} // namespace
} // namespace keyswap::simulator
