#include "simulator/engine/engine.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

/// Two GPUs on a switch, 10 GB/s each; host memory behind 8 GB/s; HBM of 100 GB/s. Only the host's
/// link has a latency: 1 us.
Platform small_machine() {
    auto platform = parse_platform(R"(
name = "small"
[[device]]
name = "D"
memory = "1 GB"
hbm_bandwidth = "100 GB/s"
origin = "assumed: test"
[[cpu]]
name = "cpu"
memory = "1 GB"
memory_read = "50 GB/s"
memory_write = "50 GB/s"
origin = "assumed: test"
[[gpu]]
name = "gpu{0-1}"
device = "D"
[[switch]]
name = "switch"
[[link_kind]]
name = "fast"
bandwidth = "10 GB/s"
latency = "0 s"
origin = "assumed: test"
[[link_kind]]
name = "host"
bandwidth = "8 GB/s"
latency = "1 us"
origin = "assumed: test"
[[link]]
name = "port{0-1}"
kind = "fast"
between = ["gpu{0-1}", "switch"]
[[link]]
name = "host"
kind = "host"
between = ["cpu", "switch"]
)",
                                   "small.toml");
    EXPECT_TRUE(platform.has_value()) << platform.error().message();
    return *platform;
}

constexpr std::uint64_t megabyte = 1'000'000;

Task copy(MemoryPlace source,
          MemoryPlace destination,
          std::uint64_t size_bytes,
          std::optional<StreamId> stream = std::nullopt) {
    Task task;
    task.work = CopyWork{source, destination, size_bytes};
    task.stream = stream;
    return task;
}

Task kernel(std::uint32_t gpu, SimTime duration, std::uint64_t hbm_bytes = 0) {
    Task task;
    task.work = KernelWork{gpu, duration, hbm_bytes};
    return task;
}

Timeline run(TaskGraph const& graph, EngineOptions const& options = {}) {
    auto timeline = run_task_graph(graph, small_machine(), options);
    EXPECT_TRUE(timeline.has_value()) << timeline.error().message();
    return *timeline;
}

TEST(Engine, ACopyTakesLaunchThenLatencyThenItsBytes) {
    TaskGraph graph;
    Task task = copy(host_memory(0), gpu_memory(0), 8 * megabyte);
    task.launch = microseconds(3);
    graph.add(task);
    Timeline const timeline = run(graph);
    // 3 us launch + 1 us latency + 8 MB / 8 GB/s = 1,000 us
    EXPECT_EQ(timeline.tasks[0].began, microseconds(3));
    EXPECT_EQ(timeline.makespan, microseconds(1004));
}

TEST(Engine, ATrainTakesAsLongAsItsCopiesOneAfterTheOther) {
    TaskGraph graph;
    Task task = copy(host_memory(0), gpu_memory(0), 8 * megabyte);
    task.launch = microseconds(3);
    std::get<CopyWork>(task.work).pieces = 100;
    graph.add(task);
    // 100 times 3 us launch and 1 us latency + 8 MB / 8 GB/s
    EXPECT_EQ(run(graph).makespan, microseconds(1400));
}

TEST(Engine, ATrainThatSharesALinkHasItsFairPartOrWhatItTakesAlone) {
    TaskGraph graph;
    StreamId const stream = graph.add_stream("s", 0);
    Task train = copy(gpu_memory(0), gpu_memory(1), 10 * megabyte, stream);
    train.launch = microseconds(10);
    std::get<CopyWork>(train.work).pieces = 301;
    graph.add(train);
    graph.add(copy(gpu_memory(0), gpu_memory(1), 30 * megabyte, graph.add_stream("t", 1)));
    Timeline const timeline = run(graph);
    // Alone 1 ms of bytes in 1 + 300 * 0.01 ms: 2.5 GB/s, so that the other copy has 7.5 of 10.
    EXPECT_EQ(timeline.tasks[0].ended, microseconds(4010));
    // All 10 GB/s until the train's first byte at 10 us: 0.1 of 30 MB.
    EXPECT_NEAR(to_milliseconds(timeline.tasks[1].ended), 0.01 + 29.9 / 7.5, 1e-6);
}

TEST(Engine, RunsTasksOfAStreamInOrderAndOthersConcurrently) {
    TaskGraph graph;
    StreamId const stream = graph.add_stream("s", 0);
    graph.add(copy(gpu_memory(0), gpu_memory(1), 10 * megabyte, stream));
    graph.add(copy(gpu_memory(0), gpu_memory(1), 20 * megabyte, stream));
    graph.add(copy(gpu_memory(1), gpu_memory(0), 30 * megabyte));
    Timeline const timeline = run(graph);
    EXPECT_EQ(timeline.tasks[0].ended, milliseconds(1)); // 10 MB / 10 GB/s
    EXPECT_EQ(timeline.tasks[1].launched, milliseconds(1));
    EXPECT_EQ(timeline.tasks[1].ended, milliseconds(3));
    EXPECT_EQ(timeline.tasks[2].ended, milliseconds(3)); // full duplex
}

TEST(Engine, AFullEngineLetsTheNextCopyWait) {
    TaskGraph graph;
    graph.add(copy(gpu_memory(0), gpu_memory(1), 10 * megabyte)); // one peer engine per GPU
    graph.add(copy(gpu_memory(0), gpu_memory(1), 10 * megabyte));
    Timeline const timeline = run(graph);
    EXPECT_EQ(timeline.tasks[1].queued, SimTime{0});
    EXPECT_EQ(timeline.tasks[1].launched, milliseconds(1));
}

TEST(Engine, TwoSendersToOneGpuHalveEachOther) {
    TaskGraph graph;
    graph.add(copy(gpu_memory(1), gpu_memory(0), 10 * megabyte));
    graph.add(copy(host_memory(0), gpu_memory(0), 10 * megabyte));
    Timeline const timeline = run(graph);
    // Alone until 1 us: 10 kB are gone. Then 5 GB/s each: the peer copy ends after 9,990 kB / 5
    // GB/s = 1,998 us more. The host's has 10 kB left, at its own 8 GB/s: 1.25 us.
    EXPECT_EQ(timeline.tasks[0].ended, microseconds(1999));
    EXPECT_EQ(timeline.tasks[1].ended, nanoseconds(2'000'250));
    EXPECT_EQ(timeline.makespan, nanoseconds(2'000'250));
}

TEST(Engine, AChannelCarriesTheBytesOfItsCopiesWhateverChangesTheirRate) {
    TaskGraph graph;
    graph.add(copy(gpu_memory(1), gpu_memory(0), 10 * megabyte));
    graph.add(copy(host_memory(0), gpu_memory(0), 20 * megabyte));
    Timeline const timeline = run(graph);
    // When the peer copy ends, the other one goes faster, without any change on its own link.
    auto const bytes = [&](std::string const& name) {
        auto const use = std::ranges::find(timeline.channels, name, &ChannelUse::name);
        return use == timeline.channels.end() ? -1.0 : use->size_bytes;
    };
    EXPECT_NEAR(bytes("host: cpu > switch"), 20e6, 1.0);
    EXPECT_NEAR(bytes("port1: gpu1 > switch"), 10e6, 1.0);
    EXPECT_NEAR(bytes("port0: switch > gpu0"), 30e6, 1.0);
}

TEST(Engine, AKernelSharesHbmWithACopyWithinTheGpu) {
    TaskGraph graph;
    // Alone: 1 ms at 90 GB/s. The local copy crosses HBM twice: 2 x + y = 100 with x = y: 33.3
    // GB/s each until the copy's 20 MB are done at 0.6 ms; the kernel has moved 20 MB of 90 by
    // then and moves 70 MB at 90 GB/s: 7/9 ms more.
    graph.add(kernel(0, milliseconds(1), 90 * megabyte));
    graph.add(copy(gpu_memory(0), gpu_memory(0), 20 * megabyte));
    Timeline const timeline = run(graph);
    EXPECT_NEAR(to_milliseconds(timeline.tasks[1].ended), 0.6, 1e-8);
    EXPECT_NEAR(to_milliseconds(timeline.tasks[0].ended), 0.6 + 7.0 / 9.0, 1e-8);
}

TEST(Engine, KernelsOfOneGpuTakeTurnsUnlessTheyFitTogether) {
    TaskGraph graph;
    graph.add(kernel(0, milliseconds(1)));
    graph.add(kernel(0, milliseconds(1)));
    graph.add(kernel(1, milliseconds(3)));
    Task half = kernel(1, milliseconds(1));
    std::get<KernelWork>(half.work).occupancy_ppm = 500'000;
    graph.add(half);
    graph.add(half);
    Timeline const timeline = run(graph);
    EXPECT_EQ(timeline.tasks[1].ended, milliseconds(2));
    EXPECT_EQ(timeline.tasks[3].launched, milliseconds(3));
    EXPECT_EQ(timeline.tasks[4].launched, milliseconds(3));
}

TEST(Engine, ABarrierWaitsForAllAndLetsAllGo) {
    TaskGraph graph;
    TaskId const a = graph.add(kernel(0, milliseconds(1)));
    TaskId const b = graph.add(kernel(1, milliseconds(2)));
    TaskId const barrier = graph.add(Task{}, std::vector{a, b});
    TaskId const after = graph.add(kernel(0, milliseconds(1)), std::vector{barrier});
    Timeline const timeline = run(graph);
    EXPECT_EQ(timeline.tasks[barrier.value].ended, milliseconds(2));
    EXPECT_EQ(timeline.tasks[after.value].ended, milliseconds(3));
}

TEST(Engine, ChannelsSayWhatMovedAndWhenTheyWereFull) {
    TaskGraph graph;
    TaskId const first = graph.add(copy(gpu_memory(0), gpu_memory(1), 10 * megabyte));
    TaskId const pause = graph.add(kernel(0, milliseconds(1)), std::vector{first});
    graph.add(copy(gpu_memory(0), gpu_memory(1), 10 * megabyte), std::vector{pause});
    Timeline const timeline = run(graph, EngineOptions{0.0, ChannelRecording::samples});
    auto const port = std::find_if(timeline.channels.begin(), timeline.channels.end(), [](auto& c) {
        return c.name == "port0: gpu0 > switch";
    });
    ASSERT_NE(port, timeline.channels.end());
    EXPECT_NEAR(port->size_bytes, 20e6, 1e-3);
    EXPECT_NEAR(port->mean_Bps, 20e6 / 3e-3, 1.0);
    EXPECT_EQ(port->saturated, milliseconds(2));
    std::vector<TimeSpan> const full{{SimTime{0}, milliseconds(1)},
                                     {milliseconds(2), milliseconds(3)}};
    EXPECT_EQ(port->saturated_spans, full);
    EXPECT_EQ(port->samples.size(), 4U); // on, off, on, off
}

TEST(Engine, WhatThePlatformLacksIsAnError) {
    TaskGraph graph;
    graph.add(copy(gpu_memory(0), gpu_memory(2), 1));
    auto const result = run_task_graph(graph, small_machine());
    ASSERT_FALSE(result.has_value());
    EXPECT_NE(result.error().problem.find("GPU 2 is not part"), std::string::npos);
}

TEST(Engine, AGraphWithoutTasksTakesNoTime) {
    EXPECT_EQ(run(TaskGraph{}).makespan, SimTime{0});
}

TEST(Engine, PhasesSpanTheirTasksAndLaunchesAreThoseOfNone) {
    TaskGraph graph;
    StreamId const stream = graph.add_stream("s", 0);
    auto const add = [&](std::optional<Phase> phase, int pass, std::int64_t us) {
        Task task = kernel(0, microseconds(us));
        task.stream = stream;
        task.phase = phase;
        task.pass = pass;
        static_cast<void>(graph.add(task));
    };
    add(Phase::scatter, 1, 10);
    add(std::nullopt, 0, 5);
    add(Phase::key_swap, 0, 20);
    add(Phase::scatter, 2, 10);
    add(Phase::scatter, 1, 1);
    static_cast<void>(graph.add(Task{})); // a barrier takes no time
    Timeline const timeline = run(graph);
    auto const span = [](std::int64_t begin, std::int64_t end) {
        return TimeSpan{microseconds(begin), microseconds(end)};
    };
    EXPECT_EQ(timeline.phases,
              (std::vector<PhaseSpan>{{Phase::scatter, 1, span(0, 46)},
                                      {Phase::key_swap, 0, span(15, 35)},
                                      {Phase::scatter, 2, span(35, 45)}}));
    EXPECT_EQ(timeline.launching, span(10, 15));
    EXPECT_EQ(phase_span(timeline, Phase::scatter, 2), span(35, 45));
    EXPECT_EQ(phase_span(timeline, Phase::scatter), span(0, 46));
    EXPECT_EQ(phase_span(timeline, Phase::merge), TimeSpan{});
}

TEST(Engine, EqualInputsGiveEqualTimelines) {
    TaskGraph graph;
    for (std::uint64_t i = 0; i < 200; ++i) {
        graph.add(copy(gpu_memory(i % 2), gpu_memory((i / 2) % 2), 1000 + 37 * i));
    }
    EngineOptions const options{0.0, ChannelRecording::samples};
    EXPECT_EQ(run(graph, options), run(graph, options));
}

TEST(Engine, AColdCopyIsSlowerUntilTheClocksAreUp) {
    TaskGraph graph;
    graph.warm_at = microseconds(1001);
    Task task = copy(host_memory(0), gpu_memory(0), 8 * megabyte);
    task.cold_slowdown = 2.0;
    graph.add(task);
    // 1 us of latency, 1000 us at 4 GB/s for 4 MB, the other 4 MB at 8 GB/s in 500 us
    EXPECT_EQ(run(graph).makespan, microseconds(1501));
}

TEST(Engine, ColdCopiesThatShareALinkAreNoSlowerThanTheirShares) {
    TaskGraph graph;
    graph.warm_at = milliseconds(100);
    for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
        Task task = copy(host_memory(0), gpu_memory(gpu), 8 * megabyte);
        task.cold_slowdown = 1.5;
        graph.add(task);
    }
    // Alone each would reach 8 / 1.5 = 5.3 GB/s; sharing the host's link leaves 4: 2000 us.
    EXPECT_EQ(run(graph).makespan, microseconds(2001));
}

TEST(Engine, AKernelThatBeginsColdStaysSlowAndALaterOneIsFast) {
    TaskGraph graph;
    graph.warm_at = milliseconds(1);
    StreamId const stream = graph.add_stream("GPU 0", 0);
    for (int i = 0; i < 2; ++i) {
        Task task = kernel(0, milliseconds(1));
        task.stream = stream;
        task.cold_slowdown = 1.25;
        graph.add(task);
    }
    // 1.25 ms for the first, which begins at 0, and 1 ms for the second.
    EXPECT_EQ(run(graph).makespan, microseconds(2250));
}

TEST(Engine, ClocksThatNeverRiseInTimeDoNotProlongTheRun) {
    TaskGraph graph;
    graph.warm_at = milliseconds(500);
    graph.add(kernel(0, milliseconds(1)));
    EXPECT_EQ(run(graph).makespan, milliseconds(1));
}

TEST(Engine, SeveralGpusOnOneLinkReachLessOfItWhereItSaysSo) {
    Platform platform = small_machine();
    LinkKind& host = platform.link_kinds.back();
    host.efficiency_shared_read = 0.5;
    host.efficiency_shared_write = 0.8;
    auto const makespan = [&](std::vector<std::pair<MemoryPlace, MemoryPlace>> const& copies) {
        TaskGraph graph;
        for (auto const& [source, destination] : copies) {
            graph.add(copy(source, destination, 8 * megabyte));
        }
        auto const timeline = run_task_graph(graph, platform);
        EXPECT_TRUE(timeline.has_value());
        return timeline->makespan;
    };
    MemoryPlace const memory = host_memory(0);
    // 8 MB at 8 GB/s and 1 us; 16 MB at half of it, and at 0.8 of it.
    EXPECT_EQ(makespan({{memory, gpu_memory(0)}}), microseconds(1'001));
    EXPECT_EQ(makespan({{memory, gpu_memory(0)}, {memory, gpu_memory(1)}}), microseconds(4'001));
    EXPECT_EQ(makespan({{gpu_memory(0), memory}, {gpu_memory(1), memory}}), microseconds(2'501));
    // Copies of one GPU per direction share nothing, nor do copies between GPUs.
    EXPECT_EQ(makespan({{memory, gpu_memory(0)}, {gpu_memory(1), memory}}), microseconds(1'001));
}

TEST(Engine, AMemoryServesCopiesInProportionToWhatTheyAskFor) {
    Platform platform = small_machine();
    LinkKind slow = platform.link_kinds.front();
    slow.name = "slow";
    slow.bandwidth_Bps = 4'000'000'000;
    platform.link_kinds.push_back(slow);
    platform.links[1].kind = "slow"; // GPU 1's
    TaskGraph graph;
    graph.add(copy(host_memory(0), gpu_memory(0), 8 * megabyte));
    graph.add(copy(host_memory(0), gpu_memory(1), 8 * megabyte));
    auto const timeline = run_task_graph(graph, platform);
    ASSERT_TRUE(timeline.has_value());
    // Two thirds and one third of 8 GB/s, until GPU 0 has its keys after 1.5 ms; then 4 GB/s. With
    // equal shares it would be 4 GB/s each and 2 ms.
    EXPECT_EQ(timeline->makespan, microseconds(2'501));
}

TEST(Engine, ACopyInOnePieceAndACopyBetweenGpusReachWhatTheLinkSays) {
    Platform platform = small_machine();
    platform.link_kinds.back().efficiency_whole_write = 0.5;
    platform.link_kinds.front().efficiency_single_peer = 0.4;
    auto const makespan = [&](MemoryPlace source, MemoryPlace destination, CopyExtent extent) {
        TaskGraph graph;
        Task task = copy(source, destination, 8 * megabyte);
        std::get<CopyWork>(task.work).extent = extent;
        graph.add(task);
        auto const timeline = run_task_graph(graph, platform);
        EXPECT_TRUE(timeline.has_value());
        return timeline->makespan;
    };
    MemoryPlace const memory = host_memory(0);
    EXPECT_EQ(makespan(gpu_memory(0), memory, CopyExtent::whole), microseconds(2'001));
    EXPECT_EQ(makespan(gpu_memory(0), memory, CopyExtent::piece), microseconds(1'001));
    EXPECT_EQ(makespan(memory, gpu_memory(0), CopyExtent::whole), microseconds(1'001));
    // 0.4 of 10 GB/s, although the links have capacity left.
    EXPECT_EQ(makespan(gpu_memory(0), gpu_memory(1), CopyExtent::whole), microseconds(2'000));
}

TEST(Engine, OneGpusReadsOfHostMemoryReachWhatItsRequestsAllow) {
    Platform platform = small_machine();
    platform.link_kinds.back().efficiency_single_read = 0.25;
    platform.link_kinds.back().efficiency_lone_read = 0.5;
    auto const makespan = [&](std::vector<std::pair<MemoryPlace, MemoryPlace>> const& copies) {
        TaskGraph graph;
        for (auto const& [source, destination] : copies) {
            graph.add(copy(source, destination, 8 * megabyte));
        }
        auto const timeline = run_task_graph(graph, platform);
        EXPECT_TRUE(timeline.has_value());
        return timeline->makespan;
    };
    MemoryPlace const memory = host_memory(0);
    // 8 MB at a half of 8 GB/s and 1 us; with another GPU at a quarter. Writes need no reply.
    EXPECT_EQ(makespan({{memory, gpu_memory(0)}}), microseconds(2'001));
    EXPECT_EQ(makespan({{memory, gpu_memory(0)}, {memory, gpu_memory(1)}}), microseconds(4'001));
    EXPECT_EQ(makespan({{gpu_memory(0), memory}}), microseconds(1'001));
}

} // namespace
} // namespace keyswap::simulator
