#include "simulator/prediction/external_sort.hpp"

#include "model/distributions/closed_form_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

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
    Storage storage{read_GBps * GB, write_GBps * GB, std::nullopt, nanoseconds(100'000), {}};
    storage.request_overhead = storage.sync = storage.removal = SimTime{};
    return storage;
}

/// Cores without cost.
ExternalCost free_cores() {
    return {1e-6, 1e-6, 1e6, 1e-6, 1e-6, 1.0};
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

TEST(ExternalPrediction, AddsTheCoreTimeOfRequests) {
    // 4e6 keys in 2 MB: 137 ranges or so, each written in each of about 100 small rounds.
    auto const plan = plan_of(4'000'000, 2'000'000);
    auto storage = disks(100, 100);
    auto const without = predicted(storage, plan, free_cores());
    storage.request_overhead = microseconds(50);
    auto const with = predicted(storage, plan, free_cores());
    ExternalPhase const& partition = with.phases[1];
    EXPECT_GT(partition.requests, 10'000U);
    // Its rounds of 0.3 MB use one of the cores for each stage.
    EXPECT_NEAR(to_seconds(partition.duration) - to_seconds(without.phases[1].duration),
                50e-6 * static_cast<double>(partition.requests),
                0.05);
}

TEST(ExternalPrediction, AddsSyncsAndRemovalsOfRuns) {
    auto const plan = plan_of(4'000'000, 2'000'000);
    auto storage = disks(100, 100);
    storage.sync = milliseconds(8);
    auto const synced = predicted(storage, plan, free_cores());
    double const sync_s = std::ceil(static_cast<double>(plan.ranges.size()) / 8) * 8e-3;
    // One or two checkpoints, each with a manifest, and a manifest at the end; eight at once.
    EXPECT_GE(to_seconds(synced.phases[1].saving), sync_s);
    EXPECT_LE(to_seconds(synced.phases[1].saving), 2 * sync_s + 6 * 8e-3);
    EXPECT_EQ(synced.phases[1].limit, "file syncs");
    storage.sync = SimTime{};
    storage.removal = milliseconds(8);
    auto const removed = predicted(storage, plan, free_cores());
    EXPECT_GE(to_seconds(removed.phases[2].saving), sync_s);
    // The manifests before and after the sample replace earlier ones.
    EXPECT_EQ(removed.phases[0].saving, milliseconds(2 * 8));
}

TEST(ExternalPrediction, ReadsASampledPageOnce) {
    // 2 MB lead to 36,000 draws or so from 7,813 pages, all but 1 % of these.
    auto const many = predicted(disks(4, 2), plan_of(4'000'000, 2'000'000), free_cores());
    EXPECT_EQ(many.phases[0].name, "sample");
    EXPECT_LE(many.phases[0].read_bytes, 7'813U * 4'096U);
    EXPECT_GT(many.phases[0].requests, 7'500U);
    // 16 reads of 100 us at once
    EXPECT_NEAR(to_seconds(many.phases[0].duration), 7'750 / 16 * 100e-6 + 0.03 / 4, 0.003);
    // Few draws from a large file hardly share pages.
    auto const few = plan_of(10 * GB, 16 * GB);
    auto const draws = model::range_target(few.memory, few.record_count).draws();
    EXPECT_NEAR(static_cast<double>(predicted(disks(4, 2), few, free_cores()).phases[0].requests),
                static_cast<double>(draws),
                2.0);
}

TEST(ExternalPrediction, ClearsTheMemoryOnce) {
    auto const plan = plan_of(2 * GB, 8 * GB);
    ExternalCost cost = free_cores();
    auto const free = predicted(disks(4, 4), plan, cost);
    cost.copy_GBps = 1.0;
    auto const copied = predicted(disks(4, 4), plan, cost);
    double const seconds = to_seconds(copied.phases[1].duration - free.phases[1].duration);
    // 8 GB at 1 GB/s on 64 cores, and 16 GB that a stage copies after it has read them, or before
    // it writes them, in part while the disk does something else.
    EXPECT_GT(seconds, 1.5 * 16.0 / 64 + 8.0 / 64 - 0.05);
    EXPECT_LT(seconds, 2.0 * 16.0 / 64 + 8.0 / 64);
}

TEST(ExternalPrediction, RecordsCostTheirBytesAndWiderWords) {
    // As many bytes: 100-byte records and keys.
    auto const records = [&](std::uint64_t count) {
        auto const layout = model::parse_record_layout(100, "0:10", Direction::ascending).value();
        auto generator =
            model::KeyGenerator::make({"uniform", std::nullopt, KeyType::u64, count, 1}).value();
        model::ClosedFormSource source(std::move(generator), Direction::ascending);
        auto plan =
            model::plan_external_sort(model::layout_of_keys(KeyType::u64, Direction::ascending),
                                      model::divide_memory(layout, GB).value(),
                                      source,
                                      1)
                .value();
        plan.layout = layout;
        return plan;
    };
    ExternalCost cost = free_cores();
    cost.radix_ns = 100;
    auto const prediction = predicted(disks(100, 100), records(100'000'000), cost);
    EXPECT_EQ(prediction.phases[1].read_bytes, 10 * GB);
    // 1e8 words of 16 bytes, as two of 8 each, by eight bytes, on 64 cores
    EXPECT_NEAR(to_seconds(prediction.phases[2].duration), 1e8 * 2 * 8 * 100e-9 / 64, 0.5);
}

TEST(ExternalPrediction, HasAnIntervalIfTheStorageIsMeasured) {
    auto const plan = plan_of(100'000'000, 64'000'000);
    auto const platform = load_platform("dgx-a100").value();
    auto storage = disks(2, 1);
    EXPECT_FALSE(external_interval(platform, storage, plan, 2).value());
    for (char const* const key : {"read", "write", "spread"}) {
        storage.origins[key] = "measured: in a test";
    }
    storage.spread = 1.5;
    auto const interval = external_interval(platform, storage, plan, 2).value();
    ASSERT_TRUE(interval);
    auto const total = predict_external_sort(platform, storage, plan, 2).value().total;
    EXPECT_LT(interval->least, total);
    EXPECT_GT(interval->most, total);
}

TEST(ExternalPrediction, IsMonotonicInKeysAndMemory) {
    std::mt19937_64 random(1);
    auto const below = [&random](double most) {
        return std::exp(std::log(most) * static_cast<double>(random() % 1'000) / 1e3);
    };
    auto storage = disks(2, 1);
    storage.request_overhead = microseconds(5);
    storage.sync = milliseconds(4);
    storage.removal = milliseconds(4);
    auto const seconds = [&](std::uint64_t keys, std::uint64_t memory) {
        return to_seconds(predicted(storage, plan_of(keys, memory), {}).total);
    };
    // Samples and saves grow with the number of ranges, and that with memory if it limits them.
    auto const moving_s = [&](std::uint64_t keys, std::uint64_t memory) {
        double sum = 0;
        for (ExternalPhase const& phase : predicted(storage, plan_of(keys, memory), {}).phases) {
            sum += phase.name == "sample" ? 0 : to_seconds(phase.duration - phase.saving);
        }
        return sum;
    };
    for (int i = 0; i < 40; ++i) {
        auto const keys = static_cast<std::uint64_t>(1e6 * below(1e3));
        auto const memory = static_cast<std::uint64_t>(2e6 * below(1e3));
        double const taken = seconds(keys, memory);
        // Saves are whole, so their number may fall by one as their duration grows.
        double const saves = 2 * std::ceil(taken / 10);
        EXPECT_GE(seconds(2 * keys, memory), taken - saves * 0.1)
            << keys << " keys, " << memory << " bytes";
        // The first and last ranges overlap with nothing; larger ones make that longer.
        auto const fitting = plan_of(keys, 2 * memory).memory.records_max;
        EXPECT_LE(moving_s(keys, 2 * memory),
                  1.02 * moving_s(keys, memory) + moving_s(std::min(keys, fitting), 2 * memory))
            << keys << " keys, " << memory << " bytes";
    }
}

TEST(Storages, AssumesCostsThatAFileOmits) {
    auto const storage = load_storage("dgx-a100").value();
    EXPECT_GT(storage.sync, SimTime{});
    EXPECT_TRUE(storage.origins.at("sync").starts_with("assumed: "));
    EXPECT_FALSE(storage.is_measured());
}

TEST(Storages, EveryShippedMachineHasDisksThatAreAssumed) {
    for (EmbeddedText const& shipped : shipped_platforms()) {
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
