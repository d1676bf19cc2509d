#include "tools/bench/bench_rows.hpp"

#include "tools/text/json.hpp"

#include <gtest/gtest.h>

#include <sstream>
#include <tuple>

namespace keyswap::tools {
namespace {

/// 4e9 B of u32 keys sorted host to host on two GPUs in 100 ms, 10 ms of it in the key swap.
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

RunHeader tested_machine() {
    RunHeader machine;
    machine.device = "NVIDIA H200";
    machine.driver = "580.1";
    return machine;
}

TEST(BenchRows, AreReadBackFromThePublishedFormatAsTheyWere) {
    auto const rows = measurements_of(tested_machine(), 4, {planted_set({"rmg-paper"})});
    ASSERT_EQ(rows.size(), 3U);
    auto const read = parse_measurements(measurements_text(rows), "bench");
    ASSERT_TRUE(read.has_value()) << read.error().message();
    EXPECT_EQ(*read, rows);
    EXPECT_EQ(rows[0].algorithm, "rmg-paper");
    EXPECT_EQ(rows[0].key_type, "uint32");
    EXPECT_EQ(rows[0].passes, 2U);
    EXPECT_EQ(rows[2].total_ms, 99);
    ASSERT_EQ(rows[0].phases.size(), 2U);
    EXPECT_EQ(rows[0].phases[1].scatter_ms, std::vector<double>({2, 1}));
    EXPECT_EQ(rows[0].phases[1].key_swap_ms, 10);
    EXPECT_EQ(rows[0].phases[1].sort_ms, 45);
}

TEST(BenchRows, LeaveOutWhatTheFormatCannotSay) {
    EXPECT_TRUE(
        measurements_of(tested_machine(), 4, {planted_set({"p2p-merge", "het-merge"})}).empty());
    BenchSet resident = planted_set({"rmg-paper"});
    resident.rows[0].job.residence = Residence::devices;
    EXPECT_TRUE(measurements_of(tested_machine(), 4, {resident}).empty());
    BenchSet pairs = planted_set({"rmg-paper"});
    pairs.rows[0].job.options.value_type = ValueType::bits32;
    EXPECT_TRUE(measurements_of(tested_machine(), 4, {pairs}).empty());
    BenchSet virtual_gpus = planted_set({"rmg-paper"});
    virtual_gpus.devices = {0, 0};
    EXPECT_TRUE(measurements_of(tested_machine(), 4, {virtual_gpus}).empty());
}

TEST(BenchRows, CompareWithTheMachinesOwnRates) {
    BenchSet const set = planted_set({"rmg-rotated"});
    BenchRow row = set.rows[0];
    // 4 GB at 100 GB/s and 4 GB at 80 GB/s take 40 + 50 ms.
    EXPECT_NEAR(row.transfer_ratio(*set.rates).value(), 100.0 / 90.0, 1e-9);
    // Each GPU sends half of its 2 GB in 10 ms.
    EXPECT_NEAR(row.swap_GBps().value(), 100.0, 1e-9);
    EXPECT_FALSE(row.cub_share().has_value());
    row.job.residence = Residence::devices;
    row.cub_ms = 80;
    EXPECT_NEAR(row.cub_share().value(), 0.8, 1e-9);
    EXPECT_NEAR(row.keys_per_ns(), 10.0, 1e-9);
}

TEST(BenchRows, AreNamedAndCountedAsThePublishedFilesDo) {
    for (auto const& [type, name, keys_per_block] : {std::tuple(KeyType::u32, "uint32", 12'288),
                                                     {KeyType::i32, "int32", 12'288},
                                                     {KeyType::f32, "float32", 12'288},
                                                     {KeyType::u64, "uint64", 6144},
                                                     {KeyType::i64, "int64", 6144},
                                                     {KeyType::f64, "float64", 6144}}) {
        BenchSet set = planted_set({"rmg-rotated"});
        set.rows[0].job.options.key_type = type;
        set.rows[0].job.key_count = 999'999'999;
        auto const rows = measurements_of(tested_machine(), 4, {set});
        ASSERT_EQ(rows.size(), 3U);
        Measurement const& row = rows[1];
        double const chunk_mb = 500.0 * static_cast<double>(key_size_bytes(type));
        EXPECT_EQ(row.key_type, name);
        EXPECT_EQ(row.device_name, "NVIDIA H200");
        EXPECT_EQ(row.system_gpus, 4U);
        EXPECT_EQ(row.gpus, std::vector({0, 1}));
        EXPECT_EQ(row.distribution, "zipf");
        EXPECT_EQ(row.parameter, 1.5);
        EXPECT_EQ(row.chunk_size, 500'000'000U);
        EXPECT_EQ(row.thread_blocks, 500'000'000U / keys_per_block + 1);
        EXPECT_EQ(row.device_memory_mb, 4500);
        EXPECT_NEAR(row.memory_overhead_mb, 4500 - chunk_mb, 1e-9);
        EXPECT_EQ(row.sort_overhead_mb, row.memory_overhead_mb);
        EXPECT_EQ(row.total_ms, 101);
        EXPECT_EQ(row.phases[0].host_to_device_ms, 40);
        EXPECT_EQ(row.phases[0].histogram_ms, std::vector<double>({1, 1}));
        EXPECT_EQ(row.phases[0].device_to_host_ms, 0);
    }
}

TEST(BenchRows, CountWhatIsHiddenBehindTheUploadAsTheUpload) {
    BenchSet set = planted_set({"rmg-fast"});
    for (auto& times : set.rows.front().runs.times) {
        times[1].begin_ns = 5'000'000; // begins with the first piece, ends 1 ms after the upload
    }
    auto const rows = measurements_of(tested_machine(), 4, {set});
    EXPECT_EQ(rows.front().phases[0].host_to_device_ms, 40);
    EXPECT_EQ(rows.front().phases[0].histogram_ms, std::vector<double>({1, 1}));
}

/// The text with white space collapsed to single spaces.
std::string words_of(std::string const& text) {
    std::istringstream words(text);
    std::string all;
    for (std::string word; words >> word;) {
        all += (all.empty() ? "" : " ") + word;
    }
    return all;
}

/// planted_set() with everything else that a table shows: rates, share of CUB, a wrong result.
BenchSet set_with_everything() {
    BenchSet set = planted_set({"rmg-rotated", "rmg-fast"});
    *set.rates = {4000, 100, 80, 150, {50, 51}, {40, 41}, {0, 300, 301, 0}, 300, 250};
    BenchRow& resident = set.rows[1];
    resident.job.residence = Residence::devices;
    resident.job.options.value_type = ValueType::bits32;
    resident.distribution = "uniform";
    resident.parameter = 0;
    resident.cub_ms = 25;
    resident.runs.same_elements = false;
    for (auto& times : resident.runs.times) { // the slower GPU counts
        times.back().end_ns += 1'000'000;
    }
    return set;
}

TEST(BenchRows, TablesHaveWhatWasMeasured) {
    BenchSet set = set_with_everything();
    std::ostringstream out;
    print_rates(set, out);
    SortRequest request;
    request.config.key_count = 1'000'000'000;
    request.config.value_type = ValueType::bits32;
    request.keys = model::KeyRequest{"zipf", 1.5};
    std::ostringstream table;
    print_row_header(request, set, table);
    for (BenchRow const& row : set.rows) {
        print_row(row, set, table);
    }
    out << table.str();
    std::istringstream lines(table.str());
    for (std::string line; std::getline(lines, line);) { // phases wrap between words
        EXPECT_TRUE(line.size() <= 80 || line.starts_with("    ")) << line;
    }
    std::string const phases =
        "host to device 40.00; histogram 1 1.00; scatter 1 2.00; histogram 2 1.00; scatter 2 1.00; "
        "key swap 10.00; " +
        std::string(to_string(Phase::bucket_sort_and_copy_back));
    EXPECT_EQ(
        words_of(out.str()),
        "GPUs 0,1 GB/s of the machine's own copies: memory 4000.0 (read + write), all GPUs host to "
        "device 100.0, device to host 80.0, both at once 150.0, a pair 300.0, all to all out of "
        "each 250.0 "
        "1,000,000,000 u32 keys, zipf(1.5), seed 1, with values of 32 bits, on 2 GPUs "
        "sort where passes median ms spread % Gkeys/s of CUB of tfr phases, ms: "
        "the longest on a GPU "
        "rmg-rotated host 2 100.000 2.0 10.0 - 1.11 " +
            phases + " 45.00; swap 100 GB/s; " +
            "rmg-fast device 2 100.000 2.0 10.0 0.25 - WRONG RESULT; " + phases + " 46.00;");

    std::ostringstream of_virtual;
    set.devices = {0, 0};
    set.rates.reset();
    print_rates(set, of_virtual);
    EXPECT_EQ(of_virtual.str(), "\nGPUs 0,0 (virtual)\n");
}

TEST(BenchRows, JsonHasWhatWasMeasured) {
    BenchSet const set = set_with_everything();
    auto const json = bench_json(tested_machine(), 4, {set});
    EXPECT_EQ(json["device"], "NVIDIA H200");
    EXPECT_EQ(json["driver"], "580.1");
    EXPECT_EQ(json["system_gpus"], 4);
    auto const& printed_set = json["gpu_sets"][0];
    EXPECT_EQ(printed_set["devices"], set.devices);
    EXPECT_EQ(printed_set["rates_GBps"],
              Json({{"memory_copy", 4000.0},
                    {"host_to_device_all", 100.0},
                    {"device_to_host_all", 80.0},
                    {"host_both_ways_all", 150.0},
                    {"host_to_device", {50.0, 51.0}},
                    {"device_to_host", {40.0, 41.0}},
                    {"peer", {0.0, 300.0, 301.0, 0.0}},
                    {"all_to_all_out", 250.0}}));
    for (std::size_t i = 0; i < 2; ++i) {
        auto const& row = printed_set["rows"][i];
        EXPECT_EQ(row["sort"], set.rows[i].sort.name);
        EXPECT_EQ(row["residence"], i == 0 ? "host" : "device");
        EXPECT_EQ(row["keys"], 1'000'000'000);
        EXPECT_EQ(row["type"], "u32");
        EXPECT_EQ(row["values"], i == 0 ? "none" : "32");
        EXPECT_EQ(row["distribution"], i == 0 ? "zipf" : "uniform");
        EXPECT_EQ(row["parameter"], i == 0 ? 1.5 : 0);
        EXPECT_EQ(row["passes"], 2);
        EXPECT_EQ(row["sorted"], true);
        EXPECT_EQ(row["same_elements"], i == 0);
        EXPECT_EQ(row["milliseconds"], std::vector<double>({100, 101, 99}));
        EXPECT_EQ(row["median_ms"], 100);
        EXPECT_NEAR(row["spread"].get<double>(), 0.02, 1e-9);
        EXPECT_NEAR(row["Gkeys_per_s"].get<double>(), 10, 1e-9);
        EXPECT_EQ(row["bytes_per_gpu"], 4'500'000'000);
        EXPECT_EQ(row["phases_ms"].size(), 3U);
        EXPECT_EQ(row["phases_ms"][2]["key swap"], 10);
    }
    EXPECT_TRUE(printed_set["rows"][0]["share_of_cub"].is_null());
    EXPECT_NEAR(printed_set["rows"][0]["swap_GBps"].get<double>(), 100, 1e-9);
    EXPECT_NEAR(printed_set["rows"][0]["ratio_to_transfers"].get<double>(), 100.0 / 90.0, 1e-9);
    EXPECT_EQ(printed_set["rows"][1]["share_of_cub"], 0.25);
    EXPECT_TRUE(printed_set["rows"][1]["swap_GBps"].is_null()) << "it overlaps the sort";
    EXPECT_TRUE(printed_set["rows"][1]["ratio_to_transfers"].is_null());
}

TEST(BenchRows, AreWrongWhereOneRunWas) {
    BenchRow row = planted_row("rmg-fast");
    EXPECT_TRUE(row.holds());
    row.runs.same_elements = false;
    EXPECT_FALSE(row.holds());
}

} // namespace
} // namespace keyswap::tools
