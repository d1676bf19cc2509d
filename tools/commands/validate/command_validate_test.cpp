#include "tools/testing/program_run.hpp"

#include <nlohmann/json.hpp>

namespace keyswap::tools {
namespace {

using Words = std::vector<std::string>;

class ValidateCommand : public FolderTest {
  protected:
    ValidateCommand() {
        std::string const header =
            "cuda_device_name,num_system_gpus,sorting_algorithm,num_keys,gpus,num_cpu_threads,"
            "data_type,distribution_type,distribution_parameter,chunk_size,num_thread_blocks,"
            "device_memory_in_bytes,device_memory_overhead,local_sort_memory_overhead,"
            "num_partitioning_passes_needed,sort_duration_breakdown,total_sort_duration\n";
        put("header.csv", header);
        put("runs.csv",
            header + "NVIDIA A100-SXM4-40GB,8,radix-mgpu-sort,2000000000,0,128,uint32,"
                     "uniform,0,1,82,1,128,128,0,\"314.6,0,69.5,335.0\",719.1\n");
    }
    [[nodiscard]] ProgramRun validated(std::string const& file, Words const& more) const {
        Words words{"validate", path(file), "--platform", "dgx-a100"};
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words);
    }
};

TEST_F(ValidateCommand, PassesAndFailsByItsLimits) {
    EXPECT_EQ(validated("runs.csv", {}).code, ExitCode::fine);
    EXPECT_EQ(validated("runs.csv", {"--max-median-error", "10"}).code, ExitCode::fine);
    EXPECT_EQ(validated("runs.csv", {"--max-median-error", "1e-9"}).code, ExitCode::violation);
    EXPECT_EQ(validated("runs.csv", {"--max-phase-p95-error", "1e-9"}).code, ExitCode::violation);
}

TEST_F(ValidateCommand, WhatCheckedNothingPassesNoGate) {
    for (auto const& [file, more] : std::vector<std::pair<std::string, Words>>{
             {"runs.csv", {"--min-keys", "1e18", "--max-median-error", "0.0001"}},
             {"runs.csv", {"--min-phase-ms", "1e9", "--max-phase-p95-error", "0.5"}},
             {"header.csv", {"--max-worst-error", "0.1"}},
             {"runs.csv", {"--max-median-error", "nan"}},
             {"runs.csv", {"--max-p95-error", "inf"}}}) {
        auto const outcome = validated(file, more);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run) << ::testing::PrintToString(more);
        EXPECT_NE(outcome.errors, "") << ::testing::PrintToString(more);
    }
}

/// Rates of one device; the fourth row is marked as suspect.
std::string rates_of_one_gpu() {
    return "source,table,device,operation,method,stage,rule,buckets,digit_bits,distribution,"
           "key_type,value_type,keys,time_ms,rate_Gps,time_ratio,ratio_to,use,note\n"
           "p,5,gtx1080,multisplit,direct,all,delta,8,,uniform,u32,none,33554432,,11.0,,,fitted,\n"
           "p,5,gtx1080,multisplit,warp,all,delta,8,,uniform,u32,none,33554432,,17.98,,,fitted,\n"
           "p,5,gtx1080,multisplit,block,all,delta,8,,uniform,u32,none,33554432,,17.8,,,held-out,\n"
           "p,5,gtx1080,multisplit,warp,all,delta,4,,uniform,u32,none,33554432,,1,,,suspect,odd\n";
}

TEST_F(ValidateCommand, PredictsRatesFromTheDevicesThatTheyName) {
    put("rates.csv", rates_of_one_gpu());
    ProgramRun const run = run_line("validate @rates.csv --json");
    ASSERT_EQ(run.code, ExitCode::fine) << run.errors;
    auto const json = nlohmann::json::parse(run.output);
    ASSERT_EQ(json["rows"].size(), 4U);
    EXPECT_EQ(json["all_but_suspect"]["count"], 3);
    EXPECT_EQ(json["groups"][0]["fitted"]["count"], 2);
    EXPECT_EQ(json["groups"][0]["held_out"]["count"], 1);
    EXPECT_GT(json["groups"][0]["suspect"]["worst"], 0.5);
    EXPECT_EQ(json["fastest"][0]["cells"], 1);
    ProgramRun const text = run_line("validate @rates.csv");
    EXPECT_NE(text.output.find("Worst rows that are not suspect"), std::string::npos);
    EXPECT_EQ(run_line("validate @rates.csv --max-worst-error 0.5").code, ExitCode::fine);
    EXPECT_EQ(run_line("validate @rates.csv --max-median-error 1e-9").code, ExitCode::violation);
}

TEST_F(ValidateCommand, RefusesAPlatformForRatesAndItsAbsenceForRuns) {
    put("rates.csv", rates_of_one_gpu());
    ProgramRun const rates = validated("rates.csv", {});
    EXPECT_EQ(rates.code, ExitCode::could_not_run);
    EXPECT_NE(rates.errors.find("--platform"), std::string::npos) << rates.errors;
    ProgramRun const runs = run_line("validate @runs.csv");
    EXPECT_EQ(runs.code, ExitCode::could_not_run);
    EXPECT_NE(runs.errors.find("--platform: is missing"), std::string::npos) << runs.errors;
    put("rates.csv", rates_of_one_gpu() + "broken\n");
    ProgramRun const broken = run_line("validate @rates.csv");
    EXPECT_EQ(broken.code, ExitCode::could_not_run);
    EXPECT_NE(broken.errors.find("rates.csv:6: has 1 columns instead of 19"), std::string::npos)
        << broken.errors;
}

} // namespace
} // namespace keyswap::tools
