#include "tools/commands/program_run.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

TEST(CommandLine, NamesAMisspeltCommandOrOptionAndWhatWasMeant) {
    auto const command = run_program({"plann"});
    EXPECT_EQ(command.code, ExitCode::could_not_run);
    EXPECT_EQ(command.errors,
              "keyswap: error: 'plann': is not a command of 'keyswap' (did you mean 'plan'? Or see "
              "'keyswap --help')\n");
    auto const option = run_program({"sort", "--distribution", "uniform", "--typ", "u32"});
    EXPECT_EQ(option.code, ExitCode::could_not_run);
    EXPECT_EQ(
        option.errors,
        "keyswap: error: '--typ': is not an option of 'keyswap sort' (did you mean '--type'? Or "
        "see 'keyswap sort --help')\n");
}

TEST(CommandLine, SaysEveryErrorInOneLineAndNothingOnStandardOutput) {
    for (std::vector<std::string> const& arguments :
         {std::vector<std::string>{},
          {"bogus"},
          {"plan"},
          {"plan", "--keys", "many", "--distribution", "uniform"},
          {"plan", "--keys", "-5", "--distribution", "uniform"},
          {"plan", "--keys", "9223372036854775809", "--distribution", "uniform"},
          {"plan", "--keys", "10", "--distribution", "unifrm"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--parameter", "3"},
          {"plan", "--keys", "10", "--distribution", "zipf", "--parameter", "-1"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--gpu-count", "0"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--gpu-count", "1025"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--type", "u33"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--digit-bits", "17"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--algorithm", "quick"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--source", "magic"},
          {"plan", "--input", "keys.bin", "--distribution", "uniform"},
          {"plan", "keys.bin", "--distribution", "uniform"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--seed", "-1"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--seed", "99999999999999999999"},
          {"plan", "--keys", "10", "--distribution", "uniform", "--seed", "0x1"},
          {"plan", "--keys", "10", "--distribution", "zipf", "--parameter", "nan"},
          {"record", "--command", "cp {input} {output}", "--timeout", "nan"},
          {"simulate", "--rate-tolerance", "nan"},
          {"simulate", "--gpus", "0-8"},
          {"simulate", "--gpus", "two"},
          {"sort", "--distribution", "uniform", "--keys", "10", "--gpus", "0,1"},
          {"check", "keys.bin"},
          {"check", "keys.bin", "sorted.bin", "--input", "keys.bin"},
          {"topology", "draw", "ac922", "--dot", "nodir/x"},
          {"topology", "export", "ac922", "--output", std::string(256, 'n')},
          {"sort", "--keys", "1e18", "--distribution", "uniform"},
          {"verify", ""},
          {"check", "", "sorted.bin"},
          {"report", "--distribution", "uniform", "--keys", "10", "--output", ""},
          {"sort", "--input", "/nowhere/keys.bin", "--type", "u32"}}) {
        auto const result = run_program(arguments);
        std::string const shown = ::testing::PrintToString(arguments);
        EXPECT_EQ(result.code, ExitCode::could_not_run) << shown;
        EXPECT_EQ(result.output, "") << shown;
        EXPECT_TRUE(result.errors.starts_with("keyswap: error: ")) << result.errors << shown;
        EXPECT_EQ(std::ranges::count(result.errors, '\n'), 1) << result.errors << shown;
        // A remedy stands in parentheses at the end.
        EXPECT_TRUE(result.errors.ends_with(")\n")) << result.errors << shown;
    }
}

TEST(CommandLine, AnOptionIsNoValueOfAnother) {
    for (auto const& words :
         {std::vector<std::string>{"plan", "--distribution", "--json"},
          {"sort", "--distribution", "zero", "--keys", "3", "--output", "--all"},
          {"report", "x.trace", "--algorithm", "--json", "page.html"},
          {"topology", "draw", "dgx-a100", "--use", "--svg"},
          {"verify", "x.trace", "--junit", "--memory-limit"}}) {
        auto const outcome = run_program(words);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run);
        EXPECT_NE(outcome.errors.find("has no value: '--"), std::string::npos) << outcome.errors;
        EXPECT_EQ(outcome.output, "");
    }
    EXPECT_FALSE(std::filesystem::exists("--all"));
}

TEST(CommandLine, LimitsOfFilesGoWithAnyCommandForOneRun) {
    std::vector<std::string> const show{"topology", "show", "pcie-4gpu"};
    auto const with = [&](std::vector<std::string> words) {
        words.insert(words.begin(), show.begin(), show.end());
        return run_program(words);
    };
    auto const refused = with({"--gpu-limit", "3"});
    EXPECT_EQ(refused.code, ExitCode::could_not_run);
    EXPECT_NE(refused.errors.find("the platform has 4 GPUs, and --gpu-limit is 3 (raise "
                                  "--gpu-limit where the file can be trusted)"),
              std::string::npos)
        << refused.errors;
    EXPECT_EQ(with({"--gpu-limit", "4"}).code, ExitCode::fine);
    EXPECT_EQ(with({}).code, ExitCode::fine);
    EXPECT_NE(with({"--depth-limit", "1e6"}).errors.find("--depth-limit: 1000000 is more"),
              std::string::npos);
    EXPECT_NE(with({"--gpu-limt", "4"}).errors.find("did you mean '--gpu-limit'"),
              std::string::npos);
}

TEST(CommandLine, ACombinationThatCannotRunIsAnErrorBesideTheTable) {
    auto const result = run_program({"whatif", "--keys", "1000", "--input-on", "node:16"});
    EXPECT_EQ(result.code, ExitCode::could_not_run);
    EXPECT_NE(result.output.find("has no NUMA node 16"), std::string::npos);
    EXPECT_NE(result.errors.find("whatif: 1 of 1 combinations could not run; the first: "
                                 "--input-on: 'dgx-a100' has no NUMA node 16 ("),
              std::string::npos)
        << result.errors;
}

TEST(CommandLine, HelpAndVersionAreNoErrors) {
    for (std::string const option : {"--help", "--version"}) {
        auto const result = run_program({option});
        EXPECT_EQ(result.code, ExitCode::fine);
        EXPECT_FALSE(result.output.empty());
        EXPECT_EQ(result.errors, "");
    }
}

} // namespace
} // namespace keyswap::tools
