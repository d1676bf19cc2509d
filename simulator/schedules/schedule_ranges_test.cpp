// Sorts of keys in host memory that exceed the GPUs' memory.

#include "simulator/schedules/schedule_ranges.hpp"

#include "simulator/calibration/certainty.hpp"
#include "simulator/prediction/simulation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GB = 1'000'000'000;

Machine hgx_h200() {
    return load_machine("hgx-h200", std::nullopt).value();
}

/// Pairs of 64 bits on two GPUs.
SimulationRequest of_pairs(std::uint64_t key_count, std::uint64_t gpu_memory_bytes) {
    SimulationRequest request;
    request.algorithm = "rmg-fast";
    request.config.key_type = KeyType::u64;
    request.config.value_type = ValueType::bits64;
    request.config.key_count = key_count;
    request.layout = KeyLayout::near_gpus;
    request.gpus = {0, 1};
    request.gpu_memory_bytes = gpu_memory_bytes;
    return request;
}

double total_s(Simulation const& simulation) {
    return to_seconds(simulation.timeline.makespan);
}

double distributed_s(Simulation const& simulation) {
    return to_seconds(
        simulation.timeline.tasks[simulation.schedule.ranges->distributed.value].ended);
}

std::string refusal(SimulationRequest const& request, Machine const& machine = hgx_h200()) {
    auto const simulation = simulate(machine, request);
    return simulation ? "simulated" : simulation.error().message();
}

TEST(RangeSchedule, HasTheRangesAndAboutTheTimeOfMeasuredRuns) {
    // tools/FIGURES.md, 2026-11-28; the hosts' links in both directions differ from the platform's.
    struct Run {
        std::uint64_t GB_of_pairs;
        std::uint64_t GB_per_gpu;
        std::vector<std::uint32_t> gpus;
        char const* distribution;
        std::uint64_t ranges;
        double seconds;
    };
    for (Run const& run : {Run{64, 16, {0, 1}, "uniform", 11, 2.03},
                           Run{64, 8, {0, 1}, "uniform", 23, 1.94},
                           Run{64, 4, {0, 1}, "uniform", 45, 2.05},
                           Run{16, 4, {0, 1}, "uniform", 12, 0.53},
                           Run{16, 4, {0, 1}, "zipf", 12, 0.52},
                           Run{16, 4, {0}, "uniform", 22, 0.70}}) {
        auto request = of_pairs(run.GB_of_pairs * GB / 16, run.GB_per_gpu * GB);
        request.config.stability = Stability::stable;
        request.gpus = run.gpus;
        request.distribution = run.distribution;
        auto const machine = hgx_h200();
        auto const simulation = simulate(machine, request).value();
        ASSERT_TRUE(simulation.schedule.ranges);
        EXPECT_EQ(simulation.schedule.ranges->count, run.ranges) << run.GB_per_gpu;
        auto const certainty = certainty_of(machine, simulation).value();
        EXPECT_LT(certainty.low_ms, 1e3 * run.seconds) << run.GB_of_pairs << ' ' << run.GB_per_gpu;
        EXPECT_GT(certainty.high_ms, 1e3 * run.seconds) << run.GB_of_pairs << ' ' << run.GB_per_gpu;
        EXPECT_TRUE(certainty.model.is_assumed);
    }
}

TEST(RangeSchedule, MovesAllElementsTwiceEachWay) {
    auto const simulation = simulate(hgx_h200(), of_pairs(4 * GB, 16 * GB)).value();
    double bytes = 0.0;
    double seconds = 0.0; // root0 carries 110 GB/s in both directions together
    for (ChannelUse const& use : simulation.timeline.channels) {
        if (use.name == "root0: both directions") {
            bytes = use.size_bytes;
            seconds = bytes / 110e9;
        }
    }
    EXPECT_NEAR(bytes, 4.0 * 64e9, 1e6);
    // Only the first block or range of each step is uploaded alone, and the last one downloaded.
    EXPECT_GT(total_s(simulation), seconds);
    EXPECT_LT(total_s(simulation), 1.05 * seconds);
    EXPECT_NEAR(distributed_s(simulation), 0.5 * seconds, 0.01 * seconds);
}

TEST(RangeSchedule, SortsWhatFitsAsWithoutALimit) {
    auto request = of_pairs(GB, 64 * GB);
    auto const limited = simulate(hgx_h200(), request).value();
    EXPECT_FALSE(limited.schedule.ranges);
    request.gpu_memory_bytes.reset();
    EXPECT_EQ(limited.timeline, simulate(hgx_h200(), request).value().timeline);
}

TEST(RangeSchedule, FillsTheMemoryAndHoldsTwoArraysInHostMemory) {
    auto const simulation = simulate(hgx_h200(), of_pairs(4 * GB, 16 * GB)).value();
    MemoryUse const& gpu = simulation.memory.uses[0];
    EXPECT_LE(gpu.used_bytes, 16 * GB);
    EXPECT_GT(gpu.used_bytes, 16 * GB - 1000);
    EXPECT_EQ(simulation.memory.uses[1].used_bytes, 128 * GB);
    // 560 GiB of host memory hold two arrays of 18.79e9 pairs.
    EXPECT_EQ(simulation.memory.keys_most, (std::uint64_t{560} << 30U) / 32);
    EXPECT_NE(refusal(of_pairs(19 * GB, 16 * GB)).find("of cpu0, which has 601.3 GB"),
              std::string::npos);
}

TEST(RangeSchedule, TakesNoLongerWithMoreMemoryForRanges) {
    // Smaller ranges leave less that overlaps with nothing, so it may even take a little less.
    double const little = total_s(simulate(hgx_h200(), of_pairs(GB, 2 * GB)).value());
    double const much = total_s(simulate(hgx_h200(), of_pairs(GB, 8 * GB)).value());
    EXPECT_NEAR(little / much, 1.0, 0.1);
}

TEST(RangeSchedule, LeavesRangesOfASingleValueToCores) {
    auto request = of_pairs(GB, 4 * GB);
    request.distribution = "zero";
    auto const simulation = simulate(hgx_h200(), request).value();
    EXPECT_EQ(simulation.schedule.ranges->count, 1U);
    EXPECT_EQ(simulation.schedule.sort_calls, 0U);
    auto const copies =
        std::ranges::count_if(simulation.schedule.graph.tasks, [](Task const& task) {
            return std::holds_alternative<CpuWork>(task.work);
        });
    EXPECT_EQ(copies, 2);
    EXPECT_GT(total_s(simulation), 1.1 * distributed_s(simulation));
}

TEST(RangeSchedule, SortsRangesOneAfterAnother) {
    auto const simulation = simulate(hgx_h200(), of_pairs(GB, 2 * GB)).value();
    std::vector<TimeSpan> kernels; // of the first GPU, range by range
    for (std::size_t i = 0; i < simulation.schedule.graph.tasks.size(); ++i) {
        Task const& task = simulation.schedule.graph.tasks[i];
        TaskTimes const& times = simulation.timeline.tasks[i];
        auto const* const kernel = std::get_if<KernelWork>(&task.work);
        if (kernel != nullptr && kernel->gpu == 0 &&
            i > simulation.schedule.ranges->distributed.value) {
            kernels.push_back({times.began, times.ended});
        }
    }
    std::size_t const ranges = simulation.schedule.ranges->count;
    ASSERT_EQ(kernels.size() % ranges, 0U);
    std::size_t const of_range = kernels.size() / ranges;
    ASSERT_GT(of_range, 0U);
    SimTime ended = from_seconds(distributed_s(simulation));
    for (std::size_t range = 0; range < ranges; ++range) {
        auto const own = std::span(kernels).subspan(range * of_range, of_range);
        EXPECT_GE(std::ranges::min(own, {}, &TimeSpan::begin).begin, ended) << range;
        ended = std::ranges::max(own, {}, &TimeSpan::end).end;
    }
}

TEST(RangeSchedule, IsRefusedWhereCoresWouldDistribute) {
    auto wide = of_pairs(4 * GB, 16 * GB);
    wide.algorithm = "sample-sort";
    wide.config.key_type = KeyType::u128;
    wide.config.value_type = ValueType::none;
    EXPECT_NE(refusal(wide).find("GPUs do not distribute keys of 128 bits, so that cores would"),
              std::string::npos)
        << refusal(wide);
    std::string const many = refusal(of_pairs(4 * GB, GB / 2));
    EXPECT_NE(many.find("ranges of keys, and GPUs distribute among at most 256"), std::string::npos)
        << many;
    EXPECT_NE(refusal(of_pairs(4 * GB, 1'000)).find("has room for 0 records of a range"),
              std::string::npos)
        << refusal(of_pairs(4 * GB, 1'000));
}

TEST(RangeSchedule, IsRefusedForSortsThatHaveNoRanges) {
    auto on_gpus = of_pairs(4 * GB, 16 * GB);
    on_gpus.input = KeyPlace{KeyPlace::Kind::devices, 0};
    EXPECT_NE(refusal(on_gpus).find("they are on the GPUs"), std::string::npos);
    auto elsewhere = of_pairs(4 * GB, 16 * GB);
    elsewhere.output = KeyPlace{KeyPlace::Kind::interleaved, 0};
    EXPECT_NE(refusal(elsewhere).find("returns keys to where they were"), std::string::npos);
    auto merged = of_pairs(4 * GB, 16 * GB);
    merged.algorithm = "het-merge";
    EXPECT_NE(refusal(merged).find("does not sort ranges"), std::string::npos) << refusal(merged);
    auto on_cpu = of_pairs(4 * GB, 16 * GB);
    on_cpu.algorithm = "cpu-paradis";
    EXPECT_NE(refusal(on_cpu).find("sorts on the CPU"), std::string::npos);
    auto several = of_pairs(4 * GB, 16 * GB);
    several.gpus = {0, 8};
    auto const cluster = load_machine("cluster:hgx-h200:2", std::nullopt).value();
    EXPECT_NE(refusal(several, cluster).find("uses GPUs of one machine"), std::string::npos)
        << refusal(several, cluster);
}

} // namespace
} // namespace keyswap::simulator
