// What nccl-tests print, read and compared with predictions.

#include "tools/commands/validate/nccl_tests.hpp"

#include "tools/commands/validate/validate_operation.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

using simulator::CollectiveKind;

std::string table(std::string const& beginning = "") {
    return beginning + R"(# nThread 1 nGpus 2 minBytes 8 maxBytes 1073741824
#  Rank  0 Group  0 Pid 7 on host device  0 [0x1b] NVIDIA H100 80GB HBM3
#  Rank  1 Group  0 Pid 7 on host device  1 [0x43] NVIDIA H100 80GB HBM3
#                                        out-of-place                       in-place
#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw #wrong
#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)
           0             0     float    none      -1    20.10    0.00    0.00      0    20.00    0.00    0.00    N/A
     1048576        131072     float    none      -1    31.20   33.61   16.80      0    30.10   34.84   17.42    N/A
  1073741824     134217728     float    none      -1      N/A     N/A     N/A    N/A    1600.0  671.09  335.54      0
# Avg bus bandwidth    : 123
)";
}

NcclTests read(std::string const& text) {
    auto tests = parse_nccl_tests(text, "runs.txt");
    EXPECT_TRUE(tests) << tests.error().message();
    return *tests;
}

TEST(NcclTestsOutput, ATableHasItsRanksAndTheTimesOfEachSize) {
    EXPECT_TRUE(looks_like_nccl_tests(table()));
    NcclTests const tests = read(table());
    EXPECT_EQ(tests.ranks, 2U);
    EXPECT_FALSE(tests.kind);
    ASSERT_EQ(tests.runs.size(), 2U);
    EXPECT_EQ(tests.runs[0].size_bytes, 1'048'576U);
    EXPECT_EQ(tests.runs[0].time_us, 31.2);
    EXPECT_EQ(tests.runs[0].bus_GBps, 16.8);
    EXPECT_EQ(tests.runs[1].time_us, 1600.0); // in place, as nothing else was measured
    EXPECT_EQ(read(table("# Collective test starting: all_gather_perf\n")).kind,
              CollectiveKind::all_gather);
    EXPECT_EQ(read(table("$ mpirun ./build/scatter_perf -b 8\n")).kind, CollectiveKind::scatter);
}

TEST(NcclTestsOutput, ADocumentHasTheSame) {
    std::string const text = R"({"args": ["./alltoall_perf", "-J", "x.json"],
"devices": [{"rank": 0}, {"rank": 1}, {"rank": 2}],
"results": [
 {"size": 0, "out_of_place": {"time": 20, "alg_bw": 0, "bus_bw": 0, "nwrong": "0"}},
 {"size": 1048576, "count": 65536, "type": "float",
  "out_of_place": {"time": 31.2, "alg_bw": 33.6, "bus_bw": 22.4, "nwrong": "0"}},
 {"size": "2097152", "out_of_place": null, "in_place": {"time": "40", "bus_bw": "35"}}]})";
    EXPECT_TRUE(looks_like_nccl_tests(text));
    NcclTests const tests = read(text);
    EXPECT_EQ(tests.ranks, 3U);
    EXPECT_EQ(tests.kind, CollectiveKind::all_to_all);
    ASSERT_EQ(tests.runs.size(), 2U);
    EXPECT_EQ(tests.runs[0].time_us, 31.2);
    EXPECT_EQ(tests.runs[1].size_bytes, 2'097'152U);
    EXPECT_EQ(tests.runs[1].bus_GBps, 35.0);
}

TEST(NcclTestsOutput, RanksOfOneHostNameTheirGpus) {
    EXPECT_EQ(read(table()).gpus, (std::vector<std::uint32_t>{0, 1}));
    std::string other = table();
    other.replace(other.find("device  1"), 9, "device  3");
    EXPECT_EQ(read(other).gpus, (std::vector<std::uint32_t>{0, 3}));
    other.replace(other.find("host device  3"), 4, "next");
    EXPECT_TRUE(read(other).gpus.empty());
    std::string twice = table();
    twice.replace(twice.find("device  1"), 9, "device  0");
    EXPECT_TRUE(read(twice).gpus.empty());
    NcclTests const document =
        read(R"({"devices": [{"hostname": "a", "device": 2}, {"hostname": "a",
"device": 0}], "results": [{"size": 8, "out_of_place": {"time": 20, "bus_bw": 0}}]})");
    EXPECT_EQ(document.ranks, 2U);
    EXPECT_EQ(document.gpus, (std::vector<std::uint32_t>{2, 0}));
}

TEST(NcclTestsOutput, ATimeThatContradictsItsBandwidthIsRefused) {
    std::string seconds = table();
    seconds.replace(seconds.find("  31.20"), 7, "0.00312");
    auto const tests = parse_nccl_tests(seconds, "runs.txt");
    ASSERT_FALSE(tests);
    EXPECT_NE(tests.error().message().find("runs.txt:8"), std::string::npos)
        << tests.error().message();
}

TEST(NcclTestsOutput, WhatIsNotWholeOrNotPredictedIsRefused) {
    auto const refusal = [](std::string const& text) {
        auto const tests = parse_nccl_tests(text, "runs.txt");
        return tests ? std::string("accepted") : tests.error().message();
    };
    EXPECT_NE(refusal(table("# all_reduce_perf\n")).find("all_reduce_perf"), std::string::npos);
    EXPECT_NE(refusal(table("# reduce_scatter_perf\n")).find("not predicted"), std::string::npos);
    std::string const cut = table().substr(0, table().find("   33.61"));
    EXPECT_NE(refusal(cut).find("runs.txt:8"), std::string::npos) << refusal(cut);
    EXPECT_NE(refusal("# busbw\n").find("no size"), std::string::npos);
    EXPECT_NE(refusal("{\"bus_bw\": 1").find("results"), std::string::npos);
    EXPECT_NE(refusal("{\"results\": [1, null, {\"size\": 8}], \"bus_bw\": 1}").find("no size"),
              std::string::npos);
    EXPECT_FALSE(looks_like_nccl_tests("num_keys,gpus\n"));
}

TEST(NcclTestsOutput, IsComparedSizeBySizeWithIntervals) {
    auto const machine = simulator::load_machine("dgx-h100", std::nullopt);
    ASSERT_TRUE(machine);
    NcclTests tests = read(table());
    auto const rows = validate_operation(*machine, tests, CollectiveKind::all_to_all, {0, 1});
    ASSERT_TRUE(rows) << rows.error().message();
    ASSERT_EQ(rows->size(), 2U);
    EXPECT_NEAR((*rows)[1].error(), (*rows)[1].predicted.total_ms / 1.6 - 1.0, 1e-12);
    EXPECT_EQ(coverage_of(*rows).count, 2U);
    EXPECT_EQ(summary_of(*rows).count, 2U);
    EXPECT_TRUE((*rows)[1].is_inside());
    tests.runs[1].time_us *= 10.0;
    auto const slow = validate_operation(*machine, tests, CollectiveKind::all_to_all, {0, 1});
    EXPECT_EQ(coverage_of(*slow).inside, coverage_of(*rows).inside - 1);
    EXPECT_NEAR(summary_of(*slow).worst, 0.9, 0.05);
}

} // namespace
} // namespace keyswap::tools
