// Questions that one call of `keyswap whatif` answers.

#include "tools/report/sweep_csv.hpp"
#include "tools/testing/program_run.hpp"
#include "tools/text/json.hpp"

#include <nlohmann/json.hpp>

namespace keyswap::tools {
namespace {

Json answered(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"whatif", "--keys", "1e8"});
    arguments.emplace_back("--json");
    ProgramRun const result = run_program(arguments);
    EXPECT_EQ(result.code, ExitCode::fine) << result.errors;
    return Json::parse(result.output);
}

TEST(WhatIfCommand, FindsTheBestSetOfEachNumberOfGpus) {
    Json const rows =
        answered({"--published", "--platform", "ac922", "--gpu-count", "1-4"})["rows"];
    ASSERT_EQ(rows.size(), 4U);
    for (std::size_t i = 0; i < 4; ++i) {
        EXPECT_EQ(rows[i]["gpus"].size(), i + 1);
    }
    // The best two GPUs are neighbours: no copy crosses the X-Bus.
    EXPECT_EQ(rows[1]["gpus"], Json::parse("[0,1]"));
    Json const pairs = answered({"--published", "--platform", "ac922", "--gpu-count", "2"})["rows"];
    EXPECT_GT(pairs.size(), 1U);
    EXPECT_EQ(pairs[0]["total_ms"], rows[1]["total_ms"]);

    ProgramRun const text =
        run_line("whatif --published --keys 2e9 --platform ac922 --gpu-count 1-4");
    EXPECT_NE(text.output.find("Best: 2 GPUs (0,1)"), std::string::npos) << text.output;
    EXPECT_NE(text.output.find("More GPUs make it slower from 2 to 3"), std::string::npos)
        << text.output;
}

TEST(WhatIfCommand, FindsTheBestNumberOfGpusForEachLoadAndSort) {
    std::string const text =
        run_line("whatif --platform dgx-a100,ac922 --keys 1e8,1e9 --gpu-count 1,4").output;
    for (std::string const sweep : {"dgx-a100, 100,000,000 keys",
                                    "dgx-a100, 1,000,000,000 keys",
                                    "ac922, 100,000,000 keys",
                                    "ac922, 1,000,000,000 keys"}) {
        EXPECT_NE(text.find(sweep + ": Best: 4 GPUs"), std::string::npos) << text;
    }
    EXPECT_EQ(text.find("from 4 to 1"), std::string::npos) << text;
}

TEST(WhatIfCommand, SaysWhichAssumptionTurnsTheOrderOfGpuSets) {
    for (std::vector<std::string> const& sets :
         {std::vector<std::string>{"--gpu-count", "4,8"},
          std::vector<std::string>{"--gpus", "0-7", "--gpus", "0-3"}}) {
        std::vector<std::string> arguments{
            "whatif", "--published", "--platform", "dgx-h100", "--keys", "2e9"};
        arguments.insert(arguments.end(), sets.begin(), sets.end());
        std::string const text = run_program(arguments).output;
        EXPECT_NE(text.find("GPUs 0-7 would beat GPUs 0-3 with upi.efficiency of at least 0.8"),
                  std::string::npos)
            << text;
        EXPECT_NE(text.find("(assumed: 0.6, thought to be 0.45 to 0.75)"), std::string::npos);
        arguments.emplace_back("--json");
        Json const json = Json::parse(run_program(arguments).output);
        EXPECT_EQ(json["order_turns"][0]["within_range"], false);
        for (Json const& row : json["rows"]) {
            EXPECT_LT(row["interval_ms"][0], row["total_ms"]);
            EXPECT_GT(row["interval_ms"][1], row["total_ms"]);
        }
    }
    // Different key counts do not rank GPUs.
    Json const sizes =
        Json::parse(run_line("whatif --platform dgx-h100 --keys 1e8,2e9 --json").output);
    EXPECT_TRUE(sizes["order_turns"].empty());
}

TEST(WhatIfCommand, ComparesMemoryAndDisksOfSortsOnFiles) {
    auto const result = run_line("whatif --external --platform dgx-h100,pcie-4gpu --keys 1e10 "
                                 "--type u64 --memory 4G,64G --disks 0.1,1 --costs --json");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    auto const rows = nlohmann::json::parse(result.output).at("rows");
    ASSERT_EQ(rows.size(), 8U);
    for (std::size_t i = 0; i < rows.size(); i += 2) {
        EXPECT_GT(rows[i].at("total_s"), rows[i + 1].at("total_s")); // fewer disks
        EXPECT_NE(rows[i].at("limit").get<std::string>().find("storage"), std::string::npos);
        EXPECT_EQ(rows[i].at("moved_bytes"), 2 * 80'000'000'000);
        EXPECT_GT(rows[i + 1].at("keys_per_joule"), rows[i].at("keys_per_joule"));
    }
    EXPECT_GT(rows[0].at("ranges"), rows[2].at("ranges")); // less memory
    auto const one = run_line(
        "simulate --external --platform dgx-h100 --keys 1e10 --type u64 --memory 4G --json");
    EXPECT_EQ(nlohmann::json::parse(one.output).at("total_s"), rows[1].at("total_s"));
    EXPECT_NE(run_line("whatif --external").errors.find("needs --memory"), std::string::npos);
    auto const seeded = run_line("whatif --external --keys 1e9 --memory 4G --seed 7");
    EXPECT_NE(seeded.output.find("seed 7"), std::string::npos) << seeded.output;
}

TEST(WhatIfCommand, TablesOfSortsOnFilesFitEightyColumns) {
    NarrowTerminal const terminal("80");
    std::vector<std::string> arguments{"whatif",
                                       "--external",
                                       "--platform",
                                       "dgx-h100,pcie-4gpu",
                                       "--keys",
                                       "1e10",
                                       "--memory",
                                       "4G,64G",
                                       "--disks",
                                       "0.1,100",
                                       "--cpu-threads",
                                       "1,64"};
    for (bool const costs : {false, true}) {
        ProgramRun const run = run_program(arguments);
        EXPECT_EQ(run.code, ExitCode::fine) << run.errors;
        EXPECT_NE(run.output.find("sort: all cores"), std::string::npos) << run.output;
        EXPECT_NE(run.output.find(costs ? "keys/J" : "reads"), std::string::npos);
        EXPECT_EQ(run.output.find("\n  "), std::string::npos) << "wrapped:\n" << run.output;
        arguments.emplace_back("--costs");
    }
}

TEST(WhatIfCommand, FitsEightyColumns) {
    NarrowTerminal const terminal("80");
    for (std::vector<std::string> const& words :
         {std::vector<std::string>{"--platform", "ac922,dgx-a100", "--algorithm", "all"},
          {"--platform", "dgx-a100", "--gpus", "0-2,4-6", "--gpus", "0-7", "--gpus", "0"},
          {"--platform",
           "dgx-a100",
           "--gpus",
           "0,2",
           "--distribution",
           "uniform,zipf:1",
           "--type",
           "u32,u64"},
          {"--platform", "ac922", "--link", "xbus x4 + nvlink x2", "--keys", "1e6,1e8"},
          {"--platform", "cluster:dgx-h100:2", "--algorithm", "het-merge,rmg-fast"}}) {
        std::vector<std::string> arguments{"whatif", "--keys", "1e6"};
        arguments.insert(arguments.end(), words.begin(), words.end());
        ProgramRun const run = run_program(arguments);
        EXPECT_EQ(run.code, ExitCode::fine) << run.errors;
        EXPECT_LE(width_of(widest_line(run.output)), 80U) << run.output;
        EXPECT_NE(run.output.find("total ms"), std::string::npos);
    }
    std::string const all =
        run_line("whatif --keys 1e6 --platform ac922 --gpus 0 --all-columns").output;
    EXPECT_NE(all.find("GB per GPU"), std::string::npos) << all;
}

TEST(WhatIfCommand, EndsAComparisonWithAVerdict) {
    Json const answer = answered({"--platform", "ac922,dgx-h100"});
    ASSERT_EQ(answer["verdicts"].size(), 1U);
    Json const& verdict = answer["verdicts"][0];
    EXPECT_EQ(answer["rows"][verdict["fastest"].get<std::size_t>()]["platform"], "dgx-h100");
    EXPECT_EQ(answer["rows"][verdict["next"].get<std::size_t>()]["platform"], "ac922");
    EXPECT_EQ(verdict["intervals_overlap"], false);
    std::string const text = run_line("whatif --keys 1e8 --platform ac922,dgx-h100").output;
    EXPECT_TRUE(text.ends_with(verdict["sentence"].get<std::string>() + "\n")) << text;
    EXPECT_NE(text.find("\nFastest: dgx-h100, GPUs 0-7, "), std::string::npos) << text;
    EXPECT_NE(text.find("Their intervals do not overlap"), std::string::npos) << text;
    // A machine with a link 0.1 % faster is not significantly faster.
    Json const same = answered({"--platform", "ac922", "--link", "nvlink x1.001"});
    EXPECT_EQ(same["verdicts"][0]["intervals_overlap"], true);
    EXPECT_EQ(answered({"--platform", "ac922", "--keys", "1e6,1e7"})["verdicts"].size(), 0U);
}

TEST(WhatIfCommand, SaysWhoseTimesStandIn) {
    auto const notes = [](std::string const& platforms, std::string const& algorithm) {
        return run_line("whatif --platform " + platforms + " --algorithm " + algorithm +
                        " --keys 1e6")
            .errors;
    };
    EXPECT_EQ(notes("hgx-h200", "rmg-fast"), "");
    EXPECT_EQ(notes("dgx-a100", "het-merge"), "");
    EXPECT_EQ(notes("dgx-a100,hgx-h200", "rmg-fast,het-merge"),
              "Note: on hgx-h200, the CPUs' times are those of '2 x AMD EPYC 7742, 64 cores', "
              "because no host profile names this platform.\n");
}

TEST(WhatIfCommand, SomeCombinationsMayBeImpossible) {
    std::vector<std::string> arguments{
        "whatif", "--keys", "1e6", "--platform", "dgx-a100", "--algorithm", "all"};
    ProgramRun const all = run_program(arguments);
    EXPECT_EQ(all.code, ExitCode::fine) << all.errors;
    EXPECT_NE(all.output.find("Fastest: "), std::string::npos);
    arguments.back() = "rmg-fast,one-gpu";
    ProgramRun const one = run_program(arguments);
    EXPECT_EQ(one.code, ExitCode::fine);
    EXPECT_EQ(one.errors, "Note: 1 of 2 combinations could not run; their rows say why.\n");
    arguments.back() = "one-gpu";
    EXPECT_EQ(run_program(arguments).code, ExitCode::could_not_run);
}

TEST(WhatIfCommand, ReportsTheBreakEven) {
    std::vector<std::string> const one_and_four{
        "--platform", "pcie-4gpu", "--gpus", "0", "--gpus", "0-3", "--break-even"};
    Json const found = answered(one_and_four)["break_even"];
    std::uint64_t const keys = found["key_count"];
    EXPECT_GT(keys, 1000U);
    EXPECT_LT(keys, found["tried_keys_max"]);
    ProgramRun const three = run_line("whatif --keys 1e6 --gpus 0 --gpus 1 --gpus 2 --break-even");
    EXPECT_EQ(three.code, ExitCode::could_not_run);
    EXPECT_NE(three.errors.find("--break-even"), std::string::npos);
}

TEST(WhatIfCommand, ComparesMachinesPlacesAndSkew) {
    Json const rows = answered({"--platform",
                                "dgx-a100,dgx-h100",
                                "--input-on",
                                "node:0,local",
                                "--distribution",
                                "uniform,zipf:1"})["rows"];
    ASSERT_EQ(rows.size(), 8U);
    EXPECT_EQ(rows[0]["platform"], "dgx-a100");
    EXPECT_EQ(rows[7]["platform"], "dgx-h100");
    EXPECT_EQ(rows[0]["input_on"], "node:0");
    EXPECT_EQ(rows[1]["input_on"], "local");
    EXPECT_EQ(rows[2]["parameter"], 1.0);
    EXPECT_EQ(rows[0]["speed_up"], 1.0);
    EXPECT_LT(rows[2]["speed_up"], 1.0); // skew increases the time
    EXPECT_GT(rows[7]["keys_most"], rows[0]["keys_most"]);
}

TEST(WhatIfCommand, ChangesSeveralLinksTogether) {
    Json const rows = answered(
        {"--platform", "ac922", "--link", "xbus x4", "--link", "xbus x4 + nvlink x2"})["rows"];
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[2]["link"], "xbus x4 + nvlink x2");
    EXPECT_LT(rows[1]["total_ms"], rows[0]["total_ms"]);
    EXPECT_LT(rows[2]["total_ms"], rows[1]["total_ms"]);
}

TEST(WhatIfCommand, ComparesKeySwaps) {
    std::vector<std::string> const swaps{"--platform",
                                         "cluster:dgx-h100:2",
                                         "--algorithm",
                                         "rmg-rotated",
                                         "--swap",
                                         "flat,by-node,best"};
    Json const rows = answered(swaps)["rows"];
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1]["swap"], "by-node");
    EXPECT_EQ(rows[2]["swap"], "best");
    EXPECT_EQ(rows[2]["total_ms"],
              std::min(rows[0]["total_ms"].get<double>(), rows[1]["total_ms"].get<double>()));
    EXPECT_EQ(rows[2]["swap_taken"],
              rows[rows[2]["total_ms"] == rows[0]["total_ms"] ? 0 : 1]["swap"]);

    std::vector<std::string> printed{"whatif", "--keys", "1e8", "--csv", "-"};
    printed.insert(printed.end(), swaps.begin(), swaps.end());
    auto const sweep = parse_sweep_csv("sweep.csv", run_program(printed).output);
    ASSERT_TRUE(sweep) << sweep.error().message();
    EXPECT_EQ((*sweep)["rows"][1]["swap"], "by-node");
    EXPECT_EQ((*sweep)["rows"][2]["swap"], "best: " + rows[2]["swap_taken"].get<std::string>());

    ProgramRun const single = run_line("whatif --published --keys 1e8 --swap by-node");
    EXPECT_EQ(single.code, ExitCode::could_not_run);
    EXPECT_NE(single.errors.find("are all on one node"), std::string::npos) << single.errors;
}

TEST(WhatIfCommand, PrintsWhatReportReads) {
    ProgramRun const csv = run_line("whatif --keys 1e6,1e11 --gpus 0,1 --csv -");
    EXPECT_EQ(csv.code, ExitCode::fine) << csv.errors;
    auto const sweep = parse_sweep_csv("sweep.csv", csv.output);
    ASSERT_TRUE(sweep) << sweep.error().message();
    EXPECT_GT((*sweep)["rows"][0]["keys_per_s"], 0.0);
    auto const interval = (*sweep)["rows"][0]["interval_ms"];
    EXPECT_LT(interval[0], (*sweep)["rows"][0]["total_ms"]);
    EXPECT_GT(interval[1], (*sweep)["rows"][0]["total_ms"]);
    EXPECT_NE((*sweep)["rows"][1]["error"].get<std::string>().find("keys fit"), std::string::npos);
}

TEST(WhatIfCommand, NumbersOfGpusThatAreNoneAreRefused) {
    for (char const* text : {"0", "9", "3-2", "1-", "x", "1-9"}) {
        ProgramRun const refused = run_line(std::string("whatif --keys 1e6 --gpu-count ") + text);
        EXPECT_EQ(refused.code, ExitCode::could_not_run) << text;
        EXPECT_NE(refused.errors.find("--gpu-count"), std::string::npos) << refused.errors;
    }
}

TEST(Memory, IsReportedByPlanAndSimulateAndLimitsThem) {
    ProgramRun const refused = run_line("simulate --keys 1e12");
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("memory: 1,000,000,000,000 keys need"), std::string::npos)
        << refused.errors;
    ProgramRun const simulated = run_line("simulate --keys 1e8");
    EXPECT_NE(simulated.output.find("Memory: "), std::string::npos) << simulated.output;
    ProgramRun const planned = run_line("plan --distribution uniform --keys 1e9 --gpu-count 2 "
                                        "--algorithm rmg --variant paper --json");
    // Published rows of 1e9 keys on two GPUs: 4,672.7359 MB.
    EXPECT_NEAR(Json::parse(planned.output)["memory"]["device_bytes"].get<double>() * 1e-6,
                4672.7359,
                0.0003);
}

TEST(WhatIfCommand, ComparesGpuMemoryOfSortsByRanges) {
    std::string const sweep = "whatif --platform hgx-h200 --keys 1e9 --type u64 --values 64 "
                              "--gpus 0,1 --gpu-memory 500M,4G,100G ";
    auto const result = run_line(sweep + "--json");
    ASSERT_EQ(result.code, ExitCode::fine) << result.errors;
    Json const rows = Json::parse(result.output)["rows"];
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_EQ(rows[1]["gpu_memory"], 4'000'000'000);
    EXPECT_GT(rows[1]["total_ms"], rows[2]["total_ms"]); // the GPUs hold all
    EXPECT_LE(rows[0]["device_bytes"], 500'000'000);
    auto const one = run_line("simulate --platform hgx-h200 --keys 1e9 --type u64 --values 64 "
                              "--gpus 0,1 --gpu-memory 4G --json");
    EXPECT_EQ(Json::parse(one.output)["total_ms"], rows[1]["total_ms"]);
    auto const text = run_line(sweep).output;
    EXPECT_NE(text.find("GPU memory 100 GB"), std::string::npos) << text;
    auto const csv = run_line(sweep + "--csv -").output;
    EXPECT_NE(csv.find(",gpu_memory,"), std::string::npos) << csv;
    // A combination that cannot run is a row.
    auto const some = run_line("whatif --platform hgx-h200 --keys 1e9 --gpus 0 --gpu-memory 9M,4G");
    EXPECT_EQ(some.code, ExitCode::fine);
    EXPECT_NE(some.output.find("at most 256"), std::string::npos) << some.output;
    EXPECT_NE(run_line("whatif --gpu-memory 16G --published").errors.find("--published and"),
              std::string::npos);
    EXPECT_NE(run_line("whatif --gpu-memory 4Q").errors.find("--gpu-memory"), std::string::npos);
}

TEST(WhatIfCommand, NamesTheFastestMultisplitOfEachNumberOfBucketsAndDevice) {
    std::vector<std::string> const question{"whatif",
                                            "--partition",
                                            "--device",
                                            "k40c,h200",
                                            "--buckets",
                                            "2,256",
                                            "--type",
                                            "u32,u64"};
    auto asked = question;
    asked.emplace_back("--json");
    ProgramRun const run = run_program(asked);
    ASSERT_EQ(run.code, ExitCode::fine) << run.errors;
    Json const rows = Json::parse(run.output)["rows"];
    ASSERT_EQ(rows.size(), 8U);
    EXPECT_EQ(rows[0]["device"], "k40c");
    EXPECT_EQ(rows[0]["fastest_stable"], "warp");
    EXPECT_EQ(rows[4]["device"], "h200");
    EXPECT_EQ(rows[4]["fastest_stable"], "split1");
    for (Json const& row : rows) {
        for (std::size_t index = 1; index < row["methods"].size(); ++index) {
            EXPECT_LE(row["methods"][index - 1]["total_ms"], row["methods"][index]["total_ms"]);
        }
    }
    ProgramRun const text = run_program(question);
    EXPECT_NE(text.output.find("# h200 (NVIDIA H200)"), std::string::npos) << text.output;
    ProgramRun const too_many = run_line("whatif --partition --keys 1e8,1e18");
    EXPECT_EQ(too_many.code, ExitCode::could_not_run);
    EXPECT_NE(too_many.errors.find("--keys: 1,000,000,000,000,000,000 are more than can be"),
              std::string::npos)
        << too_many.errors;
    EXPECT_NE(run_line("whatif --partition --keys 1e12").errors.find("h200 has 141 GB, but"),
              std::string::npos);
}

TEST(WhatIfCommand, RefusesAQuestionOfPartitionsThatNothingAnswers) {
    auto const errors_of = [](std::vector<std::string> arguments) {
        arguments.insert(arguments.begin(), {"whatif", "--keys", "1e8"});
        ProgramRun const run = run_program(arguments);
        EXPECT_EQ(run.code, ExitCode::could_not_run);
        EXPECT_EQ(run.output, ""); // no partial table
        return run.errors;
    };
    auto const expect = [&](std::vector<std::string> const& arguments, std::string const& words) {
        std::string const errors = errors_of(arguments);
        EXPECT_NE(errors.find(words), std::string::npos) << errors;
    };
    expect({"--partition", "--device", "h200,h201"}, "Shipped: c1060");
    expect({"--partition", "--platform", "ac922"}, "--partition excludes --platform");
    expect({"--device", "h200"}, "--device requires --partition");
    expect({"--partition", "--device", "h201"}, "Shipped: c1060");
    expect({"--partition", "--device", "core-i7"}, "has costs of sorts only");
    expect({"--partition", "--rule", "prime"}, "--rule: is 'prime'");
    expect({"--partition", "--buckets", "0"}, "--buckets");
    expect({"--partition", "--gpu-memory", "4G"}, "--partition excludes --gpu-memory");
    expect({"--partition", "--distribution", "zipf:1"}, "--distribution: 'zipf:1'");
    expect({"--partition", "--distribution", "alpha-uniform"}, "alpha-uniform=0.25");
    expect({"--partition", "--values", "7"}, "known: none, 32, 64");
}

} // namespace
} // namespace keyswap::tools
