#include "tools/report/sweep_csv.hpp"

#include "tools/report/report_request.hpp"
#include "tools/report/sections/study_data.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

/// Of the version before platforms, places and speed-ups.
std::string const header =
    "algorithm,num_keys,key_type,distribution,parameter,digit_bits,tolerance_ppm,fuse_ppm,link,"
    "gpus,equivalent_sets,passes,key_swap_ms,total_ms,error\n";

nlohmann::json rows_of(std::string const& lines) {
    auto const sweep = parse_sweep_csv("sweep.csv", header + lines);
    EXPECT_TRUE(sweep) << sweep.error().message();
    return sweep ? (*sweep)["rows"] : nlohmann::json();
}

std::string problem_of(std::string const& text) {
    auto const sweep = parse_sweep_csv("sweep.csv", text);
    return sweep ? std::string() : sweep.error().message();
}

TEST(SweepCsv, HoldsWhatTheJsonHolds) {
    auto const rows = rows_of("rmg-paper,2000000000,u32,zipf,0.75,8,5000,10000,xbus x2,0 1,4,2,1.5,"
                              "20.25,\r\n"
                              "rmg-paper,2000000000,u32,uniform,,8,5000,10000,-,0,1,,,,"
                              "\"needs \"\"two\"\" GPUs, or more\"\n");
    EXPECT_EQ(rows[0],
              nlohmann::json::parse(
                  R"({"algorithm":"rmg-paper","num_keys":2000000000,"key_type":"u32",
                      "distribution":"zipf","parameter":0.75,"digit_bits":8,
                      "tolerance_ppm":5000,"fuse_ppm":10000,"link":"xbus x2","gpus":[0,1],
                      "equivalent_sets":4,"passes":2,"key_swap_ms":1.5,"total_ms":20.25})"));
    EXPECT_EQ(rows[1],
              nlohmann::json::parse(
                  R"({"algorithm":"rmg-paper","num_keys":2000000000,"key_type":"u32",
                      "distribution":"uniform","digit_bits":8,"tolerance_ppm":5000,
                      "fuse_ppm":10000,"gpus":[0],"equivalent_sets":1,
                      "error":"needs \"two\" GPUs, or more"})"));
    auto const data = sweep_data("sweep.csv", {{"rows", rows}});
    ASSERT_TRUE(data) << data.error().message();
    EXPECT_EQ((*data)["varied"].size(), 2U) << "distribution with its parameter, link";
    EXPECT_EQ((*data)["rows"][0]["distribution"], "zipf(0.75)");
}

TEST(SweepCsv, HasThePlaceTheMemoryAndTheSpeedOfEachRow) {
    auto const sweep = parse_sweep_csv(
        "sweep.csv",
        sweep_csv({}) +
            "dgx-a100,rmg-paper,1000,u32,none,uniform,,8,5000,10000,-,local,"
            "local,8000000000,best: by-node,0 1,1,1,0.5,2,1.75,2.5,500000,1.25,8000,90000,\n");
    ASSERT_TRUE(sweep) << sweep.error().message();
    EXPECT_EQ((*sweep)["rows"][0],
              nlohmann::json::parse(
                  R"({"platform":"dgx-a100","algorithm":"rmg-paper","num_keys":1000,
                      "key_type":"u32","values":"none","distribution":"uniform","digit_bits":8,
                      "tolerance_ppm":5000,"fuse_ppm":10000,"input_on":"local",
                      "output_on":"local","gpu_memory":8000000000,"swap":"best: by-node","gpus":[0,1],
                      "equivalent_sets":1,"passes":1,
                      "key_swap_ms":0.5,"total_ms":2.0,"interval_ms":[1.75,2.5],"keys_per_s":500000.0,"speed_up":1.25,
                      "device_bytes":8000,"keys_most":90000})"));
    EXPECT_TRUE(looks_like_sweep_csv(sweep_csv({})));
    EXPECT_TRUE(looks_like_sweep_csv(header));
    EXPECT_FALSE(looks_like_sweep_csv("num_keys,gpus,total_sort_duration\n"));
}

TEST(SweepCsv, NamesTheLineAndTheFieldThatIsWrong) {
    std::string const good = "a,5,u32,uniform,,8,5000,10000,-,0 1,1,1,1.0,2.0,\n";
    EXPECT_NE(problem_of(header + good + "a,5\n").find("sweep.csv:3: has 2 fields instead of 15"),
              std::string::npos);
    EXPECT_NE(problem_of(header + "a,five,u32,uniform,,8,5000,10000,-,0 1,1,1,1.0,2.0,\n")
                  .find("sweep.csv:2: its num_keys is 'five'"),
              std::string::npos);
    EXPECT_NE(problem_of(header + "a,5,u32,uniform,,8,5000,10000,-,0 x,1,1,1.0,2.0,\n")
                  .find("its gpus is '0 x'"),
              std::string::npos);
    EXPECT_NE(problem_of(header + "a,5,u32,uniform,,8,5000,10000,-,0,1,1,1.0,inf,\n")
                  .find("its total_ms is 'inf'"),
              std::string::npos);
    EXPECT_NE(problem_of(header + "\"a,5\n").find("quotation mark"), std::string::npos);
    EXPECT_NE(problem_of("algorithm,keys\n").find("sweep.csv:1"), std::string::npos);
}

TEST(SweepCsv, AnUnknownHeaderIsRefusedWithTheTwoThatAreKnown) {
    keyswap::testing::TemporaryFolder const folder;
    keyswap::testing::put_text(folder / "other.csv", "algorithm,num_keys,gpus\nrmg,5,0\n");
    ReportOptions options;
    options.files = {(folder / "other.csv").string()};
    auto const content = report_content(options);
    ASSERT_FALSE(content);
    std::string const message = content.error().message();
    EXPECT_NE(message.find("other.csv"), std::string::npos) << message;
    EXPECT_NE(message.find("num_keys, gpus and total_sort_duration"), std::string::npos) << message;
    EXPECT_NE(message.find("'platform,algorithm,num_keys,'"), std::string::npos) << message;
}

TEST(MeasuredFiles, OfEachProgramAreKnownByTheirHeadings) {
    keyswap::testing::TemporaryFolder const folder;
    std::string const published =
        "cuda_device_name,num_system_gpus,sorting_algorithm,num_keys,gpus,num_cpu_threads,"
        "data_type,distribution_type,distribution_parameter,chunk_size,num_thread_blocks,"
        "device_memory_in_bytes,device_memory_overhead,local_sort_memory_overhead,"
        "num_partitioning_passes_needed,sort_duration_breakdown,total_sort_duration\n"
        "A100,8,thrust-sort,1000000000,0,128,uint32,uniform,0,1000000000,81381,4128,128,128,0,"
        "\"157.3,0,34.7,167.5\",359.5\n";
    std::string const merge = "num_elements,algorithm,gpus,sort_duration\n"
                              "1000000000,p2p,\"0,2\",190.5\n";
    for (std::string const& text : {published, merge}) {
        keyswap::testing::put_text(folder / "runs.csv", text);
        ReportOptions options;
        options.files = {(folder / "runs.csv").string()};
        options.platform = "dgx-a100";
        auto const content = report_content(options);
        ASSERT_TRUE(content) << content.error().message();
        EXPECT_EQ(content->measurements.size(), 1U);
    }
}

TEST(SweepCsv, AFileIsKnownByItsHeader) {
    keyswap::testing::TemporaryFolder const folder;
    keyswap::testing::put_text(folder / "sweep.txt",
                               header + "a,5,u32,uniform,,8,5000,10000,-,0 1,1,1,1.0,2.0,\n");
    ReportOptions options;
    options.files = {(folder / "sweep.txt").string()};
    auto const content = report_content(options);
    ASSERT_TRUE(content) << content.error().message();
    EXPECT_EQ(content->sweeps.size(), 1U);
    keyswap::testing::put_text(folder / "sweep.txt", header);
    EXPECT_NE(report_content(options).error().message().find("has no rows"), std::string::npos);
}

} // namespace
} // namespace keyswap::tools
