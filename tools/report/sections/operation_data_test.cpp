// Reports of operations other than sorts, from the program's own traces.

#include "tools/report/sections/operation_data.hpp"
#include "tools/testing/program_run.hpp"
#include "tools/text/bucket_ranges.hpp"
#include "tools/text/json.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace keyswap::tools {
namespace {

class OperationReport : public FolderTest {
  protected:
    /// Section of the trace recorded by a command.
    [[nodiscard]] Json section_of(std::vector<std::string> command) const {
        command.insert(command.end(), {"--record", path("run.trace"), "--force"});
        auto const run = run_program(command);
        EXPECT_EQ(run.code, ExitCode::fine) << run.errors;
        auto const report = run_line("report @run.trace --json");
        EXPECT_EQ(report.code, ExitCode::fine) << report.errors;
        return Json::parse(report.output).at("page").at("sections").at(0);
    }
};

TEST_F(OperationReport, ShowsBucketsByNameWithWhatVerificationFound) {
    auto const splitters = put("splitters.csv", "5\n100\n3000000000\n");
    Json const section = section_of({"multisplit",
                                     "--distribution",
                                     "uniform",
                                     "--keys",
                                     "1000",
                                     "--rule",
                                     "splitters:" + splitters,
                                     "--method",
                                     "all"});
    EXPECT_EQ(section["kind"], "operation");
    EXPECT_TRUE(section["verdict"].get<std::string>().starts_with("Verified: "))
        << section["verdict"];
    EXPECT_EQ(
        section["buckets"]["ranges"],
        (Json{"up to 5", "above 5 up to 100", "above 100 up to 3000000000", "above 3000000000"}));
    auto const keys = section["buckets"]["keys"].get<std::vector<std::uint64_t>>();
    EXPECT_EQ(std::accumulate(keys.begin(), keys.end(), std::uint64_t{0}), 1000U);
    EXPECT_EQ(section["buckets"]["starts"][3], 1000 - keys[3]);
    EXPECT_GT(section["methods"].size(), 5U);
    EXPECT_NE(section["answers"].dump().find("gave the same output"), std::string::npos);
}

// Buckets of 5 and 3 keys with values 0 and 1, distributed to two GPUs.
TEST_F(OperationReport, SaysHowEvenlyAShuffleSharesKeysOut) {
    auto const keys = put("keys.csv", "0\n1\n0\n0\n0\n1\n0\n1\n");
    auto const splitters = put("splitters.csv", "0\n");
    Json const section = section_of({"multisplit",
                                     "--input",
                                     keys,
                                     "--type",
                                     "u32",
                                     "--rule",
                                     "splitters:" + splitters,
                                     "--to-owner",
                                     "--gpu-count",
                                     "2"});
    EXPECT_TRUE(section["verdict"].get<std::string>().starts_with("Verified: "))
        << section["verdict"];
    std::string const answers = section["answers"].dump();
    EXPECT_NE(answers.find("Each of 2 GPUs owns 3 to 5 keys, at most 1.25 times an even share; 3 "
                           "keys changed GPUs, in 4 copies."),
              std::string::npos)
        << answers;
    EXPECT_NE(answers.find("Each of 2 GPUs ordered its chunk with one stable method."),
              std::string::npos)
        << answers;
    EXPECT_EQ(section["methods"][1][0], "fused on GPU 1");
    std::string const configuration = section["configuration"].dump();
    EXPECT_NE(configuration.find("equal numbers of neighbouring buckets"), std::string::npos)
        << configuration;
}

TEST_F(OperationReport, ShowsBinsAndWhatLiesOutsideOfThem) {
    Json const section = section_of({"histogram",
                                     "--distribution",
                                     "uniform",
                                     "--type",
                                     "u32",
                                     "--keys",
                                     "1000",
                                     "--bins",
                                     "4",
                                     "--range",
                                     "0:4294967295"});
    EXPECT_EQ(section["buckets"]["ranges"].size(), 6U);
    EXPECT_EQ(section["buckets"]["ranges"][0], "below 0");
    EXPECT_EQ(section["answers"][0],
              "4 bins; 0 samples below the first edge, 0 at or above the last one.");
}

TEST_F(OperationReport, ShowsEachRoundOfASearchForPaths) {
    for (std::string const method : {"multisplit", "near-far"}) {
        Json const section = section_of({"sssp", "--graph", "grid:30", "--method", method});
        ASSERT_GT(section["rounds"].size(), 1U);
        EXPECT_EQ(section["rounds"][0][1], 1) << "the source waits";
        EXPECT_EQ(section["rounds"][0][6].size(), method == "multisplit" ? 10U : 2U);
        EXPECT_TRUE(section["buckets"]["keys"].empty());
        EXPECT_EQ(section["configuration"][0][0], "Graph");
    }
}

TEST_F(OperationReport, ShowsTheRangesOfAnExternalSort) {
    ASSERT_EQ(run_line("generate --keys 600000 --type u32 --output @keys.raw").code,
              ExitCode::fine);
    Json const section = section_of({"sort",
                                     path("keys.raw"),
                                     "--type",
                                     "u32",
                                     "--memory",
                                     "4M",
                                     "--output",
                                     path("sorted.raw")});
    auto const keys = section["buckets"]["keys"].get<std::vector<std::uint64_t>>();
    auto const starts = section["buckets"]["starts"].get<std::vector<std::uint64_t>>();
    ASSERT_GT(keys.size(), 1U);
    EXPECT_EQ(starts.front(), 0U);
    EXPECT_EQ(starts.back() + keys.back(), 600'000U);
    EXPECT_TRUE(section["buckets"]["ranges"][0].get<std::string>().starts_with("0 to "));
    EXPECT_NE(section["answers"][0].get<std::string>().find(std::to_string(keys.size()) +
                                                            " ranges of keys, each sorted at once"),
              std::string::npos)
        << section["answers"];
    auto const figures = run_line("report @run.trace --list-figures");
    EXPECT_NE(figures.output.find("places"), std::string::npos) << figures.output;
    EXPECT_NE(figures.output.find("counts"), std::string::npos) << figures.output;
}

TEST_F(OperationReport, ReportsAWrongTrace) {
    auto const multisplit = run_line("multisplit --distribution uniform --keys 1000 --rule hash:1 "
                                     "--buckets 4 --record @run.trace");
    ASSERT_EQ(multisplit.code, ExitCode::fine) << multisplit.errors;
    auto run = model::verify::read_recorded_run(path("run.trace"));
    ASSERT_TRUE(run.has_value());
    auto const verdict = [&] {
        return operation_data(operation_view_of(*run, "run.trace", {}))["verdict"]
            .get<std::string>();
    };
    EXPECT_TRUE(verdict().starts_with("Verified: ")) << verdict();
    run->partitions.front().starts[1] += 1;
    EXPECT_TRUE(verdict().starts_with("Verified and WRONG: ")) << verdict();
    // Impossible records are reported, but not shown.
    run->histograms.front().counts.resize(3);
    EXPECT_TRUE(verdict().starts_with("Verified and WRONG: ")) << verdict();
    EXPECT_TRUE(counted_buckets(operation_view_of(*run, "run.trace", {}).run).keys.empty());
}

TEST(BucketRanges, NameEveryRule) {
    SortShape const u32;
    using Names = std::vector<std::string>;
    EXPECT_EQ(bucket_ranges({4, DeltaBuckets{{0, 10}, {0, 5}}}, u32),
              (Names{"0 to 14", "15 to 19", "20 to 24", "25 to 4294967295"}));
    EXPECT_EQ(bucket_ranges({3, SplitterBuckets{{{0, 7}}, {true}, Tie::left}}, u32),
              (Names{"below 7", "7", "above 7"}));
    EXPECT_EQ(
        bucket_ranges({3, SplitterBuckets{{{0, 7}, {0, 9}}, {false, false}, Tie::right}}, u32),
        (Names{"below 7", "from 7 below 9", "from 9"}));
    EXPECT_EQ(bucket_ranges({1, SplitterBuckets{}}, u32), (Names{"all keys"}));
    EXPECT_EQ(bucket_ranges({2, DigitBuckets{3, 1}}, u32), (Names{"digit 0x0", "digit 0x1"}));
    EXPECT_EQ(bucket_ranges({2, PrimeBuckets{}}, u32), (Names{"prime", "not prime"}));
    EXPECT_EQ(bucket_ranges({2, HashBuckets{}}, u32), (Names{"bucket 0", "bucket 1"}));
    EXPECT_EQ(bucket_ranges({2, LabelBuckets{}}, u32), (Names{"label 0", "label 1"}));
    // With more buckets than key values, the last buckets are empty.
    EXPECT_EQ(bucket_ranges({3, DeltaBuckets{{}, {0, 0xffffffff}}}, u32),
              (Names{"0 to 4294967294", "4294967295", "no key"}));
}

} // namespace
} // namespace keyswap::tools
