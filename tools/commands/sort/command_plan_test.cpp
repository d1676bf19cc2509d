#include "tools/testing/program_run.hpp"

#include "tools/text/json.hpp"

namespace keyswap::tools {
namespace {

using PlanCommand = FolderTest;

Json planned(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "plan");
    arguments.emplace_back("--json");
    auto const result = run_program(arguments);
    EXPECT_EQ(result.code, ExitCode::fine) << result.errors;
    return Json::parse(result.output);
}

TEST_F(PlanCommand, SaysWhyASecondPassIsNeededAndWhichBucketIsCut) {
    auto const result = run_line("plan --distribution zipf --keys 2e9 --gpu-count 8");
    EXPECT_EQ(result.code, ExitCode::fine);
    EXPECT_NE(result.output.find("4 passes are needed"), std::string::npos) << result.output;
    EXPECT_NE(result.output.find("pass 4, 0x0000000a"), std::string::npos);
    EXPECT_NE(result.output.find("cut at the borders"), std::string::npos);
    EXPECT_NE(result.output.find("the limit C + 2E"), std::string::npos);
}

TEST_F(PlanCommand, IsTheSameForMaterializedAndStreamedKeys) {
    for (std::string const type : {"u32", "f64"}) {
        std::vector<std::string> const keys{
            "--distribution", "zipf", "--keys", "100000", "--gpu-count", "5", "--type", type};
        auto with = [&](std::string const& source) {
            auto arguments = keys;
            arguments.insert(arguments.end(), {"--source", source});
            return planned(arguments);
        };
        EXPECT_EQ(with("materialized")["plan"], with("streamed")["plan"]) << type;
    }
}

TEST_F(PlanCommand, TakesTheLargestSortThatThereIs) {
    Json const plan = planned(
        {"--distribution", "uniform", "--keys", "9223372036854775808", "--gpu-count", "1024"});
    EXPECT_EQ(plan["config"]["source"], "closed-form");
}

TEST_F(PlanCommand, CountsTheKeysOfAFile) {
    put("keys.csv", "7\n7\n7\n1\n");
    Json const plan = planned({"--input", path("keys.csv"), "--type", "u32", "--gpu-count", "2"});
    EXPECT_EQ(plan["config"]["source"], "materialized");
    // Two keys per GPU: only a cut can separate the sevens.
    EXPECT_NE(plan.dump().find("0x00000007"), std::string::npos) << plan.dump(1);
}

TEST_F(PlanCommand, IsTheSameForAFileThatIsStreamed) {
    std::string rows = "k\n";
    for (std::uint32_t i = 0; i < 3000; ++i) {
        rows += std::to_string(i * i % 997) + "\n";
    }
    put("keys.csv", rows);
    for (std::string const algorithm : {"rmg", "sample-sort"}) {
        for (std::string const direction : {"ascending", "descending"}) {
            auto const with = [&](std::string const& source) {
                return planned({"--input",
                                path("keys.csv"),
                                "--type",
                                "f64",
                                "--gpu-count",
                                "5",
                                "--algorithm",
                                algorithm,
                                "--direction",
                                direction,
                                "--source",
                                source});
            };
            Json const streamed = with("streamed");
            EXPECT_EQ(streamed["config"]["source"], "streamed");
            EXPECT_EQ(streamed["config"]["header"], "k");
            EXPECT_EQ(with("materialized")["plan"], streamed["plan"]) << algorithm << direction;
        }
    }
}

TEST_F(PlanCommand, RefusesAClosedFormOfAFile) {
    put("keys.csv", "7\n");
    auto const result = run_line("plan --input @keys.csv --type u32 --source closed-form");
    EXPECT_EQ(result.code, ExitCode::could_not_run);
    EXPECT_NE(result.errors.find("--input and --source"), std::string::npos) << result.errors;
}

} // namespace
} // namespace keyswap::tools
