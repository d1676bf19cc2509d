#include "tools/commands/program_run.hpp"

#include <nlohmann/json.hpp>

namespace keyswap::tools {
namespace {

using Words = std::vector<std::string>;

class ValidateCommand : public FolderTest {
  protected:
    ValidateCommand() {
        std::string const heading =
            "cuda_device_name,num_system_gpus,sorting_algorithm,num_keys,gpus,num_cpu_threads,"
            "data_type,distribution_type,distribution_parameter,chunk_size,num_thread_blocks,"
            "device_memory_in_bytes,device_memory_overhead,local_sort_memory_overhead,"
            "num_partitioning_passes_needed,sort_duration_breakdown,total_sort_duration\n";
        put("heading.csv", heading);
        put("runs.csv",
            heading + "NVIDIA A100-SXM4-40GB,8,radix-mgpu-sort,2000000000,0,128,uint32,"
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
             {"heading.csv", {"--max-worst-error", "0.1"}},
             {"runs.csv", {"--max-median-error", "nan"}},
             {"runs.csv", {"--max-p95-error", "inf"}}}) {
        auto const outcome = validated(file, more);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run) << ::testing::PrintToString(more);
        EXPECT_NE(outcome.errors, "") << ::testing::PrintToString(more);
    }
}

} // namespace
} // namespace keyswap::tools
