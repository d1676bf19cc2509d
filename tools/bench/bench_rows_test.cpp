#include "tools/bench/bench_rows.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

/// 4e9 B of u32 keys from host to host on two GPUs in 100 ms, of which the swap takes 10.
BenchRow planted_row(std::string const& sort) {
    BenchRow row;
    for (BenchSort const& known : known_bench_sorts()) {
        if (known.name == sort) {
            row.sort = known;
        }
    }
    row.job.options.devices = {0, 1};
    row.job.key_count = 1'000'000'000;
    row.job.residence = Residence::host;
    row.distribution = "zipf";
    row.parameter = 1.5;
    row.runs.milliseconds = {100, 101, 99};
    row.runs.passes = 2;
    row.runs.sorted = true;
    row.runs.same_elements = true;
    row.runs.bytes_per_gpu = 4'500'000'000;
    for (int run = 0; run < 3; ++run) {
        std::vector<PhaseTimeRecord> times;
        for (std::uint32_t gpu = 0; gpu < 2; ++gpu) {
            times.push_back({GpuId{gpu}, Phase::host_to_device, 0, 0, 40'000'000});
            times.push_back({GpuId{gpu}, Phase::histogram, 1, 40'000'000, 41'000'000});
            times.push_back({GpuId{gpu}, Phase::scatter, 1, 41'000'000, 43'000'000});
            times.push_back({GpuId{gpu}, Phase::histogram, 2, 43'000'000, 44'000'000});
            times.push_back({GpuId{gpu}, Phase::scatter, 2, 44'000'000, 45'000'000});
            times.push_back({GpuId{gpu}, Phase::key_swap, 0, 45'000'000, 55'000'000});
            times.push_back(
                {GpuId{gpu}, Phase::bucket_sort_and_copy_back, 0, 55'000'000, 100'000'000});
        }
        row.runs.times.push_back(times);
    }
    return row;
}

BenchSet planted_set(std::vector<std::string> const& sorts) {
    BenchSet set;
    set.devices = {0, 1};
    set.rates = kernels::MachineRates{};
    set.rates->host_to_device_all = 100;
    set.rates->device_to_host_all = 80;
    for (std::string const& sort : sorts) {
        set.rows.push_back(planted_row(sort));
    }
    return set;
}

TEST(BenchRows, AreReadBackFromThePublishedFormatAsTheyWere) {
    BenchMachine const machine{"NVIDIA H200", "580.1", 4};
    auto const rows = measurements_of(machine, {planted_set({"rmg-paper"})});
    ASSERT_EQ(rows.size(), 3U);
    auto const read = parse_measurements(measurements_text(rows), "bench");
    ASSERT_TRUE(read.has_value()) << read.error().message();
    EXPECT_EQ(*read, rows);
    EXPECT_EQ(rows[0].algorithm, "radix-mgpu-sort");
    EXPECT_EQ(rows[0].key_type, "uint32");
    EXPECT_EQ(rows[0].passes, 2U);
    EXPECT_EQ(rows[2].total_ms, 99);
    ASSERT_EQ(rows[0].phases.size(), 2U);
    EXPECT_EQ(rows[0].phases[1].scatter_ms, std::vector<double>({2, 1}));
    EXPECT_EQ(rows[0].phases[1].key_swap_ms, 10);
    EXPECT_EQ(rows[0].phases[1].sort_ms, 45);
}

TEST(BenchRows, LeaveOutWhatTheFormatCannotSay) {
    BenchMachine const machine{"NVIDIA H200", "580.1", 4};
    EXPECT_TRUE(measurements_of(machine, {planted_set({"p2p-merge", "het-merge"})}).empty());
    BenchSet resident = planted_set({"rmg-paper"});
    resident.rows[0].job.residence = Residence::devices;
    EXPECT_TRUE(measurements_of(machine, {resident}).empty());
    BenchSet pairs = planted_set({"rmg-paper"});
    pairs.rows[0].job.options.value_type = ValueType::bits32;
    EXPECT_TRUE(measurements_of(machine, {pairs}).empty());
    BenchSet virtual_gpus = planted_set({"rmg-paper"});
    virtual_gpus.devices = {0, 0};
    EXPECT_TRUE(measurements_of(machine, {virtual_gpus}).empty());
}

TEST(BenchRows, CompareWithTheMachinesOwnRates) {
    BenchSet const set = planted_set({"rmg-rotated"});
    BenchRow row = set.rows[0];
    // 4 GB at 100 GB/s and 4 GB at 80 GB/s take 40 + 50 ms.
    EXPECT_NEAR(row.transfer_ratio(*set.rates).value(), 100.0 / 90.0, 1e-9);
    // Half of each GPU's 2 GB leaves it in 10 ms.
    EXPECT_NEAR(row.swap_GBps().value(), 100.0, 1e-9);
    EXPECT_FALSE(row.cub_share().has_value());
    row.job.residence = Residence::devices;
    row.cub_ms = 80;
    EXPECT_NEAR(row.cub_share().value(), 0.8, 1e-9);
    EXPECT_NEAR(row.keys_per_ns(), 10.0, 1e-9);
}

TEST(BenchRows, AreWrongWhereOneRunWas) {
    BenchRow row = planted_row("rmg-fast");
    EXPECT_TRUE(row.holds());
    row.runs.same_elements = false;
    EXPECT_FALSE(row.holds());
}

} // namespace
} // namespace keyswap::tools
