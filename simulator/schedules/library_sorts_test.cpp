// Library sorts that one host thread queues GPU by GPU.

#include "simulator/schedules/library_sorts.hpp"

#include "simulator/prediction/simulation.hpp"
#include "simulator/testing/schedule_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

std::vector<TaskId> dependencies_of(TaskGraph const& graph, TaskId task) {
    auto const found = graph.dependencies_of(task);
    return {found.begin(), found.end()};
}

TEST(LibrarySort, CallsAHistogramItsSumsAndAKernelAPassEachAfterOneThatClears) {
    ScheduleInput const input = input_on_h100s(1);
    ScheduleBuilder const builder(input);
    LibrarySort const sort = library_sort(builder, input.device, 1'000'000, 24);
    EXPECT_EQ(sort.calls, 2 * (2 + 3));
    // On an H100 a histogram takes 50 us, and a kernel with hardly any work 7.3 us.
    EXPECT_NEAR(sort.launch_us, 50 + 3 * 7.3, 1e-9);
    EXPECT_EQ(library_sort(builder, input.device, 4864, 32).calls, 1); // single tile
    EXPECT_EQ(library_sort(builder, input.device, 4865, 32).calls, 12);
    EXPECT_EQ(library_sort(builder, input.device, 1000, 0).calls, 0);
    EXPECT_EQ(library_sort(builder, input.device, 0, 32).calls, 0);
}

/// Host work that delays the start of a task.
TaskId call_of(TaskGraph const& graph, TaskId task) {
    return dependencies_of(graph, task).back();
}

TEST(LibraryQueue, TheHostWaitsForAStreamThatHolds1024CallsAndTheNextGpuWithIt) {
    ScheduleInput const input = input_on_h100s(2);
    ScheduleBuilder builder(input);
    LibrarySort const sort = library_sort(builder, input.device, 1'000'000, 24);
    LibraryQueue queue(builder, input.device);
    std::vector<TaskId> calls(104);
    for (TaskId& call : calls) {
        call = call_of(builder.graph, queue.sort(0, sort, Phase::bucket_sort));
    }
    // 102 sorts of 10 calls fit into a stream; each call takes 2 us.
    auto const& tasks = builder.graph.tasks;
    EXPECT_EQ(tasks[calls[0].value].launch, from_seconds(20e-6));
    EXPECT_TRUE(dependencies_of(builder.graph, calls[101]).empty());
    TaskId const first_sort{calls[0].value + 1};
    EXPECT_EQ(dependencies_of(builder.graph, calls[102]), std::vector<TaskId>{first_sort});
    TaskId const next = call_of(builder.graph, queue.sort(1, sort, Phase::bucket_sort));
    EXPECT_TRUE(dependencies_of(builder.graph, next).empty());
    EXPECT_EQ(tasks[next.value].stream, tasks[calls[103].value].stream); // so it comes after that
}

TEST(LibraryQueue, ASlowerHostDelaysTheSortsThatWaitForItsCalls) {
    ScheduleInput input = input_on_h100s(1);
    input.device.host_call_us = 4.5;
    ScheduleBuilder builder(input);
    LibrarySort const sort = library_sort(builder, input.device, 1'000'000, 24);
    TaskId const queued = LibraryQueue(builder, input.device).sort(0, sort, Phase::bucket_sort);
    TaskId const call = call_of(builder.graph, queued);
    EXPECT_EQ(builder.graph.tasks[call.value].launch, from_seconds(10 * 4.5e-6));
    auto machine = load_machine("hgx-h200", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request;
    request.algorithm = "rmg-paper";
    request.config.key_count = 20'000'000;
    request.gpus = {0, 1};
    request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    auto const total_us = [&] {
        return 1e3 * to_milliseconds(simulate(*machine, request)->timeline.makespan);
    };
    double const before = total_us();
    machine->device.host_call_us += 2.0;
    double const later = total_us() - before;
    // GPU 1 waits for 128 sorts of 10 calls on GPU 0, and no more than 512 copies are called first.
    EXPECT_GE(later, 128 * 10 * 2.0);
    EXPECT_LE(later, (2 * 128 * 10 + 512) * 2.0);
}

/// Host time, in microseconds, of all CUDA calls of our `rmg-paper` on two H200, 20,000,000 keys.
double calls_us(KeyPlace::Kind place, ValueType values) {
    auto const machine = load_machine("hgx-h200", std::nullopt);
    EXPECT_TRUE(machine);
    SimulationRequest request;
    request.algorithm = "rmg-paper";
    request.own_program = true;
    request.config.key_count = 20'000'000;
    request.config.value_type = values;
    request.gpus = {0, 1};
    request.input = KeyPlace{place, 0};
    auto const simulation = simulate(*machine, request);
    EXPECT_TRUE(simulation);
    double sum = 0.0;
    for (Task const& task : simulation->schedule.graph.tasks) {
        bool const is_call = std::holds_alternative<BarrierWork>(task.work) && !task.phase;
        sum += is_call ? 1e6 * to_seconds(task.launch) : 0.0;
    }
    return sum;
}

TEST(LibraryQueue, TheHostCallsThreeTimesForTheDownloadOfABucketAndOnceMoreForValues) {
    constexpr double buckets = 2 * 128;
    double const call_us = load_device_profile("h200")->host_call_us;
    for (ValueType const values : {ValueType::none, ValueType::bits32}) {
        int const calls = values == ValueType::none ? 3 : 4;
        EXPECT_NEAR(calls_us(KeyPlace::Kind::node, values) -
                        calls_us(KeyPlace::Kind::devices, values),
                    buckets * calls * call_us,
                    1e-3);
    }
}

TEST(LibraryQueue, NodesOfAClusterHaveThreadsOfTheirOwn) {
    ScheduleInput input = input_on_h100s(2);
    input.machines = {0, 1};
    ScheduleBuilder builder(input);
    LibrarySort const sort = library_sort(builder, input.device, 1'000'000, 24);
    LibraryQueue queue(builder, input.device);
    TaskId const here = call_of(builder.graph, queue.sort(0, sort, Phase::bucket_sort));
    TaskId const there = call_of(builder.graph, queue.sort(1, sort, Phase::bucket_sort));
    auto const& tasks = builder.graph.tasks;
    EXPECT_NE(tasks[here.value].stream, tasks[there.value].stream);
}

TEST(LibraryQueue, TurnsImagesBackAfterEachSort) {
    ScheduleInput const input = input_on_h100s(1, KeyType::f64);
    ScheduleBuilder builder(input);
    LibraryQueue(builder, input.device).change_back(0, 3'000'000);
    auto const& tasks = builder.graph.tasks;
    ASSERT_EQ(tasks.size(), 2U); // the call and the kernel
    // The profile gives 1,500 GB/s for copies within an H100.
    EXPECT_EQ(std::get<KernelWork>(tasks.back().work).duration, from_seconds(3e6 * 8 / 1'500e9));
    ScheduleInput const unsigned_keys = input_on_h100s(1, KeyType::u64);
    ScheduleBuilder unchanged(unsigned_keys);
    LibraryQueue(unchanged, unsigned_keys.device).change_back(0, 3'000'000);
    EXPECT_TRUE(unchanged.graph.tasks.empty());
}

/// Two H100, 2026-11-26, and two and four H200, 2026-11-21; no constant was fitted to them. 128
/// buckets per GPU (two GPUs) exceed a stream's queue, 64 (four GPUs) fit.
TEST(LibraryQueue, UniformKeysOfOurOwnCopiesAreWithinATenthOfTheMeasuredTotals) {
    struct Row {
        std::string platform;
        std::vector<std::uint32_t> gpus;
        KeyType type;
        std::uint64_t keys;
        double measured_ms;
    };
    for (Row const& row : {Row{"dgx-h100", {0, 1}, KeyType::u32, 100'000'000, 14.413},
                           Row{"dgx-h100", {0, 1}, KeyType::u32, 1'000'000'000, 29.209},
                           Row{"dgx-h100", {0, 1}, KeyType::u64, 20'000'000, 21.580},
                           Row{"dgx-h100", {0, 1}, KeyType::u64, 200'000'000, 30.791},
                           Row{"hgx-h200", {0, 1}, KeyType::u32, 2'000'000'000, 43.9},
                           Row{"hgx-h200", {0, 1, 2, 3}, KeyType::u32, 2'000'000'000, 21.1}}) {
        auto const machine = load_machine(row.platform, std::nullopt);
        ASSERT_TRUE(machine);
        SimulationRequest request;
        request.algorithm = "rmg-rotated";
        request.config.key_type = row.type;
        request.config.key_count = row.keys;
        request.gpus = row.gpus;
        request.input = KeyPlace{KeyPlace::Kind::devices, 0};
        auto const simulation = simulate(*machine, request);
        ASSERT_TRUE(simulation);
        double const total_ms = to_milliseconds(simulation->timeline.makespan);
        EXPECT_NEAR(total_ms / row.measured_ms, 1.0, 0.1) << row.platform << ", " << row.keys;
    }
}

} // namespace
} // namespace keyswap::simulator
