// Order in which one thread queues the sorts of arrived keys on two GPUs.

#include "simulator/schedules/round_swap.hpp"

#include "simulator/testing/schedule_input.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

LocalBatch batch_of(std::int64_t milliseconds) {
    return {{{{SimTime{milliseconds * 1'000'000'000}}, 1}}, {}};
}

bool begins_after(TaskGraph const& graph, TaskId task, TaskId other) {
    Task const& of = graph.tasks[task.value];
    return std::any_of(graph.dependencies.begin() + of.dependencies_begin,
                       graph.dependencies.begin() + of.dependencies_end,
                       [other](TaskId each) { return each == other; });
}

TEST(ArrivedSort, AGpuWithLittleToSortDoesNotWaitForTheOthers) {
    ScheduleInput const input = input_on_h100s(2);
    ScheduleBuilder builder(input);
    using Batches = std::vector<std::vector<LocalBatch>>; // [g]
    LastTasks const first = sort_arrived(builder, Batches{{batch_of(5)}, {batch_of(1)}}, {{}, {}});
    LastTasks const second = sort_arrived(builder, Batches{{}, {batch_of(1)}}, {{}, {}});
    ASSERT_TRUE(first[0] && first[1] && second[1]);
    EXPECT_FALSE(second[0]); // it received nothing
    EXPECT_FALSE(begins_after(builder.graph, *second[1], *first[0]));
    EXPECT_EQ(builder.graph.tasks[second[1]->value].stream,
              builder.graph.tasks[first[1]->value].stream); // which keeps the order
}

TEST(RoundSwap, WhatIsFilledIsWrittenInPlaceOfSent) {
    ScheduleInput const input = input_on_h100s(2);
    ScheduleBuilder builder(input);
    // GPU 0 has 3e6 keys of 4 bytes for GPU 1, which fills in 2e6 of them, and receives none.
    ExchangePlan plan;
    plan.rounds.gpu_count = 2;
    plan.rounds.ranges = {{{0, 0, 0, 0}}, {{0, 2, 0, 3'000'000}}};
    plan.sends.copies = {{GpuId{0}, 0, GpuId{1}, 0, 1'000'000}};
    plan.sends.after.resize(1);
    plan.sends.fills = {{GpuId{1}, 1'000'000, 2'000'000, 7}};
    std::size_t const copies = add_round_swap(
        builder, input.device, plan, RoundCalls::at_once, [](std::size_t, TasksBefore const&) {
            return LastTasks(2);
        });
    EXPECT_EQ(copies, 1U);
    std::vector<std::uint64_t> sent;
    std::vector<KernelWork> written;
    for (Task const& task : builder.graph.tasks) {
        if (auto const* const copy = std::get_if<CopyWork>(&task.work)) {
            sent.push_back(copy->size_bytes);
        }
        if (auto const* const kernel = std::get_if<KernelWork>(&task.work)) {
            written.push_back(*kernel);
        }
    }
    EXPECT_EQ(sent, (std::vector<std::uint64_t>{1'000'000 * 4}));
    ASSERT_EQ(written.size(), 1U);
    EXPECT_EQ(written.front().gpu, 1U);
    // The profile gives 1,500 GB/s for copies within an H100; each byte is read and written.
    EXPECT_EQ(written.front().duration, from_seconds(2e6 * 4 / 3'000e9));
    EXPECT_EQ(written.front().hbm_bytes, 2'000'000U * 4);
}

TEST(RoundSwap, AGpuTakesFromOneSourceAtATime) {
    ScheduleInput const input = input_on_h100s(3);
    ScheduleBuilder builder(input);
    ExchangePlan plan;
    plan.rounds.rounds = 2;
    plan.rounds.gpu_count = 3;
    plan.rounds.ranges.assign(3, std::vector<kernels::RoundRange>(2));
    for (int round = 0; round < 2; ++round) {
        for (std::uint32_t turn = 1; turn < 3; ++turn) {
            for (std::uint32_t source = 0; source < 3; ++source) {
                plan.rounds.copies.push_back(
                    {GpuId{source}, 0, GpuId{(source + turn) % 3}, 0, 1 + source, round});
            }
        }
    }
    plan.sends = kernels::swap_sends(plan.rounds, {}, std::nullopt);
    add_round_swap(
        builder, input.device, plan, RoundCalls::at_once, [](std::size_t, TasksBefore const&) {
            return LastTasks(3);
        });
    std::vector<std::vector<TaskId>> to(3);
    for (std::uint32_t task = 0; task < builder.graph.tasks.size(); ++task) {
        if (auto const* const copy = std::get_if<CopyWork>(&builder.graph.tasks[task].work)) {
            for (std::uint32_t gpu = 0; gpu < 3; ++gpu) {
                if (copy->destination == gpu_memory(gpu)) {
                    to[gpu].push_back(TaskId{task});
                }
            }
        }
    }
    for (std::vector<TaskId> const& copies : to) {
        ASSERT_EQ(copies.size(), 4U);
        for (std::size_t i = 1; i < copies.size(); ++i) {
            EXPECT_TRUE(begins_after(builder.graph, copies[i], copies[i - 1]));
        }
    }
}

TEST(RoundSwap, TheThreadOfEachNodeCallsForTheCopiesOfItsGpus) {
    ScheduleInput input = input_on_h100s(3);
    input.machines = {0, 1, 1};
    ScheduleBuilder builder(input);
    ExchangePlan plan;
    plan.rounds.gpu_count = 3;
    plan.rounds.ranges.assign(3, std::vector<kernels::RoundRange>(1));
    for (std::uint32_t source = 0; source < 3; ++source) {
        plan.sends.copies.push_back({GpuId{source}, 0, GpuId{(source + 1) % 3}, 0, 1});
    }
    plan.sends.after.resize(3);
    add_round_swap(
        builder, input.device, plan, RoundCalls::at_once, [](std::size_t, TasksBefore const&) {
            return LastTasks(3);
        });
    auto const& tasks = builder.graph.tasks;
    std::vector<Task> calls;
    for (std::uint32_t task = 0; task < tasks.size(); ++task) {
        if (std::holds_alternative<CopyWork>(tasks[task].work)) {
            calls.push_back(tasks[builder.graph.dependencies_of(TaskId{task}).front().value]);
        }
    }
    ASSERT_EQ(calls.size(), 3U);
    EXPECT_NE(calls[0].stream, calls[1].stream);
    EXPECT_EQ(calls[1].stream, calls[2].stream);
    // 3.5 us per call.
    EXPECT_EQ(calls[0].launch, from_seconds(3.5e-6));
    EXPECT_EQ(calls[1].launch, from_seconds(7e-6));
}

} // namespace
} // namespace keyswap::simulator
