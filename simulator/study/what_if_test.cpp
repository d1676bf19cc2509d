#include "simulator/engine/chrome_trace.hpp"
#include "simulator/platform/topology.hpp"
#include "simulator/prediction/prediction.hpp"
#include "simulator/study/gpu_sets.hpp"
#include "simulator/study/what_if.hpp"
#include "traces/catalog/catalog.hpp"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <tbb/global_control.h>

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <sstream>
#include <utility>
#include <vector>

namespace keyswap::simulator {
namespace {

TEST(WhatIf, ReadsChangesOfLinks) {
    using Change = LinkChange::Kind;
    auto const several = parse_link_changes("xbus x2 + rail = 100 GB/s + add nvswitch 300 GB/s");
    ASSERT_TRUE(several) << several.error().message();
    EXPECT_EQ(several->changes,
              (std::vector<LinkChange>{{Change::factor, "xbus", 2.0, 0},
                                       {Change::bandwidth, "rail", 1.0, 100'000'000'000},
                                       {Change::add_switch, "", 1.0, 300'000'000'000}}));
    for (char const* text : {"xbus",
                             "xbus x",
                             "xbus x0",
                             "xbus x-1",
                             " x2",
                             "xbus x2GB",
                             "xbus x2 + ",
                             "rail = fast",
                             "rail = 1 B/s",
                             "add nvswitch"}) {
        EXPECT_FALSE(parse_link_changes(text)) << text;
    }
}

Expected<Machine> changed(std::string const& platform, std::string const& text) {
    return with_link_changes(*load_machine(platform, std::nullopt), *parse_link_changes(text));
}

TEST(WhatIf, RefusesALinkThatIsNotThere) {
    EXPECT_FALSE(changed("ac922", "nvswitch x2"));
    EXPECT_FALSE(changed("cluster:dgx-h100:2", "add nvswitch 300 GB/s"));
}

TEST(WhatIf, SetsAddsAndJoinsLinks) {
    auto const slow = changed("cluster:dgx-h100:2", "rail = 25 GB/s");
    ASSERT_TRUE(slow) << slow.error().message();
    for (LinkKind const& kind : slow->platform.link_kinds) {
        EXPECT_TRUE(kind.name != "rail" || kind.bandwidth_Bps == 25'000'000'000U);
    }
    SimulationRequest request;
    request.config.key_count = 1'000'000'000;
    request.gpus = {0, 1, 2, 3};
    auto const swap_ms = [&](Expected<Machine> const& machine) {
        EXPECT_TRUE(machine);
        return phase_times(*simulate(*machine, request)).key_swap_ms;
    };
    double const without = swap_ms(load_machine("pcie-4gpu", std::nullopt));
    double const bridges = swap_ms(changed("pcie-4gpu", "add bridges 300 GB/s"));
    double const with_switch = swap_ms(changed("pcie-4gpu", "add nvswitch 300 GB/s"));
    EXPECT_LT(bridges, without);
    EXPECT_LT(with_switch, bridges);
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
    sweep.link_changes.push_back(*parse_link_changes("xbus x2"));
    sweep.gpu_sets = {{0, 1, 2, 3}, {0, 1}};
    auto const ms = totals(*machine, sweep);
    ASSERT_EQ(ms.size(), 4U); // GPU sets vary fastest
    EXPECT_LT(ms[2], ms[0]);
    EXPECT_DOUBLE_EQ(ms[3], ms[1]);
}

TEST(WhatIf, AGpuThatAChangeTakesAwayIsLeftOutOfItsRows) {
    WhatIfSweep sweep;
    sweep.key_counts = {1'000'000};
    sweep.gpu_sets = {{0, 1, 2, 3}};
    sweep.link_changes.push_back(*parse_link_changes("without gpu3"));
    auto const rows = run_what_if(*load_machine("dgx-a100", std::nullopt), sweep);
    ASSERT_TRUE(rows);
    EXPECT_EQ((*rows)[0].request.gpus, (std::vector<std::uint32_t>{0, 1, 2, 3}));
    EXPECT_EQ((*rows)[1].request.gpus, (std::vector<std::uint32_t>{0, 1, 2}));
    EXPECT_TRUE((*rows)[1].ran()) << (*rows)[1].error;
}

TEST(WhatIf, GivesTheSameRowsForAnyNumberOfThreads) {
    auto const machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    WhatIfSweep sweep;
    sweep.gpu_sets = {{0, 1}, {0, 2}, {0, 2, 4, 6}};
    sweep.key_counts = {1'000'000, 100'000'000};
    sweep.distributions = {{"uniform", {}}, {"zipf", {}}};
    auto const many = totals(*machine, sweep);
    tbb::global_control const one(tbb::global_control::max_allowed_parallelism, 1);
    EXPECT_EQ(totals(*machine, sweep), many);
}

TEST(WhatIf, SpeedUpsAreAgainstTheFirstRowOfTheSameSize) {
    std::vector<WhatIfRow> rows(4);
    for (std::size_t i = 0; i < rows.size(); ++i) {
        rows[i].request.config.key_count = i < 2 ? 1000 : 2000;
        rows[i].total_ms = static_cast<double>(i + 1);
    }
    rows[3].error = "cannot run";
    auto const factors = speed_ups(rows);
    EXPECT_EQ(factors[0], 1.0);
    EXPECT_EQ(factors[1], 0.5);
    EXPECT_EQ(factors[2], 1.0);
    EXPECT_EQ(factors[3], std::nullopt);
}

TEST(WhatIf, ASortOnTheCpuHasNoGpus) {
    WhatIfSweep sweep;
    sweep.algorithms = {"rmg-paper", "cpu-paradis"};
    sweep.gpu_sets = {{0, 1}};
    sweep.key_counts = {1'000'000};
    auto const rows = run_what_if(*load_machine("ac922", std::nullopt), sweep);
    ASSERT_TRUE(rows) << rows.error().message();
    std::vector<std::size_t> gpus;
    for (WhatIfRow const& row : *rows) {
        ASSERT_TRUE(row.ran()) << row.error;
        gpus.push_back(row.request.gpus.size());
    }
    EXPECT_EQ(gpus, (std::vector<std::size_t>{2, 0}));
}

TEST(WhatIf, AtTheBreakEvenTheOtherSortWins) {
    auto const machine = load_machine("dgx-a100", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest one;
    one.gpus = {0};
    SimulationRequest eight;
    eight.gpus = {0, 1, 2, 3, 4, 5, 6, 7};
    auto const found = break_even({&*machine, one}, {&*machine, eight});
    ASSERT_TRUE(found) << found.error().message();
    ASSERT_TRUE(found->second_can_win);
    auto const ms = [&](SimulationRequest request, double factor) {
        request.config.key_count =
            static_cast<std::uint64_t>(factor * static_cast<double>(found->key_count));
        return to_milliseconds(simulate(*machine, request)->timeline.makespan);
    };
    EXPECT_LT(ms(eight, 1.0), ms(one, 1.0));
    EXPECT_GT(ms(eight, 0.98), ms(one, 0.98));
    auto const never = break_even({&*machine, one}, {&*machine, one});
    ASSERT_TRUE(never);
    EXPECT_FALSE(never->second_can_win);
}

TEST(GpuSets, CountEverySetOnceAndKnowSymmetricOnes) {
    auto const platform = load_platform("dgx-a100");
    ASSERT_TRUE(platform);
    auto const topology = Topology::of(*platform);
    ASSERT_TRUE(topology);
    ChunkMemories const memories{chunk_memories({}, *platform, *topology),
                                 chunk_memories({}, *platform, *topology)};
    auto const pairs = gpu_set_classes(*topology, memories, 2);
    std::uint64_t sets = 0;
    for (GpuSetClass const& set : pairs) {
        sets += set.sets;
    }
    EXPECT_EQ(sets, 28U); // 8 choose 2
    // From node 0: a pair on one switch or on two, near or far, or one near and one far.
    EXPECT_EQ(pairs.size(), 5U);
}

TEST(GpuSets, AGpuWithoutLinksIsLikeNoOther) {
    auto platform = load_platform("ac922");
    ASSERT_TRUE(platform);
    std::string const alone = platform->gpus[3].name;
    std::erase_if(platform->links,
                  [&](Link const& link) { return link.from == alone || link.to == alone; });
    auto const topology = Topology::of(*platform);
    ASSERT_TRUE(topology);
    ChunkMemories memories;
    for (std::uint32_t gpu = 0; gpu < 4; ++gpu) {
        memories.input.push_back(host_memory(0));
        memories.output.push_back(gpu_memory(gpu)); // reachable also for the GPU without links
    }
    auto const representatives = [&](std::uint32_t size) {
        std::vector<std::vector<std::uint32_t>> all;
        for (GpuSetClass const& set : gpu_set_classes(*topology, memories, size)) {
            all.push_back(set.representative);
        }
        return all;
    };
    using Sets = std::vector<std::vector<std::uint32_t>>;
    EXPECT_EQ(representatives(1), (Sets{{0}, {2}, {3}})); // 0 and 1 are near the keys, 2 is not
    EXPECT_EQ(representatives(2), (Sets{{0, 1}, {0, 2}, {0, 3}, {2, 3}}));
}

TEST(WhatIf, ALinkIsNotChangedBeyondWhatALinkCanBe) {
    for (char const* text : {"nvlink x1e-12", "nvlink x1e12", "nvlink x1e300"}) {
        auto const machine = changed("hgx-h200", text);
        ASSERT_FALSE(machine) << text;
        EXPECT_EQ(machine.error().subject, "--link");
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
    // A file with the worst permitted values: a run of months, not an overflow.
    request.memory_limits = MemoryLimits::ignored;
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
    EXPECT_EQ(arrows, 256U); // half of 2 * 256 bucket copies are local
}

/// Ends of arrows outside of any slice of their track, which viewers do not draw.
std::size_t lost_ends(nlohmann::json const& trace) {
    using Track = std::pair<int, int>;
    std::map<Track, std::vector<std::pair<double, double>>> slices;
    auto const track_of = [](nlohmann::json const& event) {
        return Track{event["pid"].get<int>(), event["tid"].get<int>()};
    };
    for (auto const& event : trace["traceEvents"]) {
        if (event["ph"] == "X") {
            double const begin = event["ts"].get<double>();
            slices[track_of(event)].emplace_back(begin, begin + event["dur"].get<double>());
        }
    }
    constexpr double rounding_us = 1e-6;
    std::size_t lost = 0;
    for (auto const& event : trace["traceEvents"]) {
        if (event["ph"] == "s" || event["ph"] == "f") {
            double const time = event["ts"].get<double>();
            lost += std::ranges::none_of(slices[track_of(event)], [time](auto const& slice) {
                return slice.first - rounding_us <= time && time <= slice.second + rounding_us;
            });
        }
    }
    return lost;
}

TEST(ChromeTrace, ArrowsOfEverySortOnEveryPlatformEndInSlices) {
    std::size_t arrows = 0;
    for (char const* platform : {"ac922", "dgx-a100", "gb200-nvl72", "pcie-4gpu"}) {
        auto const machine = load_machine(platform, std::nullopt);
        ASSERT_TRUE(machine) << platform;
        for (AlgorithmChoice const choice : every_choice()) {
            for (auto const kind : {KeyPlace::Kind::node, KeyPlace::Kind::devices}) {
                SimulationRequest request;
                request.algorithm = full_name(choice);
                request.config.key_count = 100'000;
                request.gpus = {0, 1, 2, 3};
                request.input = KeyPlace{kind, 0};
                auto const simulation = simulate(*machine, request);
                if (!simulation) {
                    continue; // a sort on one GPU, or on the CPU
                }
                std::ostringstream out;
                write_chrome_trace(out, simulation->schedule.graph, simulation->timeline);
                auto const trace = nlohmann::json::parse(out.str());
                EXPECT_EQ(lost_ends(trace), 0U) << platform << ' ' << request.algorithm;
                arrows += static_cast<std::size_t>(std::ranges::count(
                    trace["traceEvents"], "s", [](auto const& event) { return event["ph"]; }));
            }
        }
    }
    EXPECT_GT(arrows, 1000U);
}

} // namespace
} // namespace keyswap::simulator
