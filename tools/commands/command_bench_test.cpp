#include "tools/commands/program_run.hpp"

#include <nlohmann/json.hpp>

namespace keyswap::tools {
namespace {

TEST(BenchCommand, MeasuresTheSortsOfTheCpuAndChecksThem) {
    ProgramRun const run = run_program({"bench",
                                        "--backend",
                                        "cpu",
                                        "--keys",
                                        "1000,5000",
                                        "--types",
                                        "u32,u128",
                                        "--sorts",
                                        "buffered-radix,simd-merge",
                                        "--runs",
                                        "2",
                                        "--json"});
    ASSERT_EQ(run.code, ExitCode::fine) << run.errors;
    auto const rows = nlohmann::json::parse(run.output).at("rows");
    ASSERT_EQ(rows.size(), 8U);
    for (auto const& row : rows) {
        EXPECT_TRUE(row.at("holds"));
        EXPECT_EQ(row.at("ms").size(), 2U);
        bool const is_radix = row.at("sort") == "buffered-radix";
        int const digits = row.at("key_type") == "u32" ? 4 : 16;
        int const merges = row.at("key_count") == 1000 ? 10 : 13;
        EXPECT_EQ(row.at("steps"), is_radix ? digits : merges) << row;
    }
}

TEST(BenchCommand, RefusesASortBeforeItPrintsATable) {
    ProgramRun const run =
        run_program({"bench", "--backend", "cpu", "--keys", "10", "--sorts", "tbb,bogosort"});
    EXPECT_EQ(run.code, ExitCode::could_not_run);
    EXPECT_EQ(run.output, "");
    EXPECT_NE(run.errors.find("--sorts bogosort: is not known (known: "), std::string::npos)
        << run.errors;
}

} // namespace
} // namespace keyswap::tools
