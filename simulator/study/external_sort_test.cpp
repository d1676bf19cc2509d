#include "simulator/study/external_sort.hpp"

#include "model/keys/closed_form_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

constexpr std::uint64_t GB = 1'000'000'000;

model::ExternalPlan plan_of(std::uint64_t keys, std::uint64_t memory_bytes) {
    auto const layout = model::layout_of_keys(KeyType::u64, Direction::ascending);
    auto generator =
        model::KeyGenerator::make({"uniform", std::nullopt, KeyType::u64, keys, 1}).value();
    model::ClosedFormSource source(std::move(generator), Direction::ascending);
    return model::plan_external_sort(
               layout, model::divide_memory(layout, memory_bytes).value(), source, 1)
        .value();
}

Storage disks(std::uint64_t read_GBps, std::uint64_t write_GBps) {
    return {read_GBps * GB, write_GBps * GB, std::nullopt, nanoseconds(100'000), {}};
}

/// Cores without cost.
ExternalCost free_cores() {
    return {1e-6, 1e-6, 1e6, 1e-6};
}

ExternalPrediction predicted(Storage const& storage,
                             model::ExternalPlan const& plan,
                             ExternalCost const& cost,
                             std::optional<RangeGpus> gpus = {}) {
    return predict_external_sort(load_platform("dgx-a100").value(), storage, plan, 64, gpus, cost)
        .value();
}

TEST(ExternalPrediction, IsTheSlowerOfReadsAndWritesWhereCoresAreFree) {
    auto const plan = plan_of(10 * GB, 16 * GB);
    auto const prediction = predicted(disks(4, 2), plan, free_cores());
    ASSERT_EQ(prediction.phases.size(), 3U);
    ExternalPhase const& partition = prediction.phases[1];
    EXPECT_EQ(partition.name, "partition");
    EXPECT_EQ(partition.limit, "storage writes");
    EXPECT_EQ(partition.read_bytes, 80 * GB);
    EXPECT_EQ(partition.written_bytes, 80 * GB);
    // 80 GB at 2 GB/s; reads overlap with writes, except for the first of a thousand rounds.
    EXPECT_NEAR(to_seconds(partition.duration), 40.0, 0.2);
    EXPECT_EQ(prediction.phases[2].limit, "storage writes");
    SimTime sum;
    for (ExternalPhase const& phase : prediction.phases) {
        sum += phase.duration;
    }
    EXPECT_EQ(prediction.total, sum);
}

TEST(ExternalPrediction, WaitsForGpusThatAreSlowerThanDisks) {
    auto const plan = plan_of(10 * GB, 16 * GB);
    auto const prediction = predicted(disks(100, 100), plan, free_cores(), RangeGpus{2, 5.0});
    ExternalPhase const& sort = prediction.phases.back();
    EXPECT_EQ(sort.limit, "GPUs");
    // 5 ns for each of 10^10 keys; reads and writes overlap with that, except for the first and
    // last range.
    EXPECT_NEAR(to_seconds(sort.duration), 50.0, 1.0);
    auto const fast = predicted(disks(1, 1), plan, free_cores(), RangeGpus{2, 0.1});
    EXPECT_NE(fast.phases.back().limit, sort.limit);
}

TEST(ExternalPrediction, SharesWhatTheDisksDoInBothDirections) {
    auto storage = disks(4, 4);
    storage.total_Bps = 4 * GB;
    auto const prediction = predicted(storage, plan_of(10 * GB, 16 * GB), free_cores());
    EXPECT_EQ(prediction.phases[1].limit, "storage total");
    EXPECT_NEAR(to_seconds(prediction.phases[1].duration), 40.0, 0.2); // 160 GB at 4 GB/s
}

TEST(ExternalPrediction, DistributesOnAllCores) {
    ExternalCost cost = free_cores();
    cost.distribute_ns = 100;
    auto const prediction = predicted(disks(100, 100), plan_of(10 * GB, 16 * GB), cost);
    EXPECT_EQ(prediction.phases[1].limit, "all cores");
    // 1e10 keys at 100 ns on 64 cores
    EXPECT_NEAR(to_seconds(prediction.phases[1].duration), 1'000.0 / 64, 0.2);
}

TEST(ExternalPrediction, CopiesAndChecksOnAllCores) {
    ExternalCost cost = free_cores();
    cost.digest_ns = 64;
    auto const prediction = predicted(disks(100, 100), plan_of(10 * GB, 16 * GB), cost);
    // 1e10 keys at 64 ns on 64 cores, each round then written at 100 GB/s, in either phase
    EXPECT_NEAR(to_seconds(prediction.phases[1].duration), 10.8, 0.2);
    EXPECT_NEAR(to_seconds(prediction.phases[2].duration), 10.8, 0.3);
}

TEST(ExternalPrediction, SortsOnAllCores) {
    ExternalCost cost = free_cores();
    cost.radix_ns = 100;
    auto const prediction = predicted(disks(100, 100), plan_of(10 * GB, 16 * GB), cost);
    EXPECT_EQ(prediction.phases[2].limit, "all cores");
    // 8 passes of 100 ns on 64 cores
    EXPECT_NEAR(to_seconds(prediction.phases[2].duration), 125.0, 5.0);
}

TEST(ExternalPrediction, DividesRangesAgainUntilTheyFit) {
    // 1 MiB sorts 19,968 keys at once and divides into 78 ranges: 4e9 keys become ranges of
    // 51 million, then of 660,000, then of what fits.
    auto const plan = plan_of(4 * GB, std::uint64_t{1} << 20);
    EXPECT_EQ(plan.memory.records_max, 19'968U);
    EXPECT_EQ(plan.memory.ranges_max, 78U);
    EXPECT_EQ(plan.divisions_most(), 2U);
    auto const prediction = predicted(disks(4, 2), plan, free_cores());
    EXPECT_EQ(prediction.phases[1].read_bytes, 3 * 32 * GB);
    EXPECT_EQ(plan.moved_bytes(), 4 * 32 * GB);
}

TEST(ExternalPrediction, ReadsAndWritesOnceWhatFits) {
    auto const prediction = predicted(disks(4, 2), plan_of(100'000'000, 16 * GB), free_cores());
    ASSERT_EQ(prediction.phases.size(), 1U);
    EXPECT_EQ(prediction.phases.front().name, "sort");
    // One range: 0.8 GB are read, moved through memory eight times, and written.
    double const memory_s = 8 * 0.8 / 204.8;
    EXPECT_NEAR(to_seconds(prediction.total), 0.2 + memory_s + 0.4, 0.01);
}

TEST(Storages, EveryShippedMachineHasDisksThatAreAssumed) {
    for (ShippedPlatform const& shipped : shipped_platforms()) {
        auto const storage = load_storage(shipped.name);
        ASSERT_TRUE(storage) << shipped.name << ": " << storage.error().message();
        for (auto const& [constant, origin] : storage->origins) {
            EXPECT_TRUE(origin.starts_with("assumed: ")) << shipped.name << ", " << constant;
        }
    }
}

TEST(Storages, AClusterHasNone) {
    auto const storage = load_storage("cluster:dgx-a100:2");
    ASSERT_FALSE(storage);
    EXPECT_NE(storage.error().message().find("is a cluster"), std::string::npos);
}

} // namespace
} // namespace keyswap::simulator
