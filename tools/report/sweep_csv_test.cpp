#include "tools/report/sweep_csv.hpp"

#include "tools/report/report_request.hpp"
#include "tools/report/study_data.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>

namespace keyswap::tools {
namespace {

std::string const header = std::string(sweep_csv_header) + "\n";

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
    EXPECT_EQ((*data)["varied"].size(), 3U) << "parameter, distribution, link";
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

TEST(SweepCsv, AnUnknownHeaderIsToldWhichTwoAreKnown) {
    keyswap::testing::TemporaryFolder const folder;
    keyswap::testing::put_text(folder / "other.csv", "algorithm,num_keys,gpus\nrmg,5,0\n");
    ReportOptions options;
    options.files = {(folder / "other.csv").string()};
    auto const content = report_content(options);
    ASSERT_FALSE(content);
    std::string const message = content.error().message();
    EXPECT_NE(message.find("other.csv"), std::string::npos) << message;
    EXPECT_NE(message.find("'cuda_device_name,'"), std::string::npos) << message;
    EXPECT_NE(message.find("'algorithm,num_keys,'"), std::string::npos) << message;
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
