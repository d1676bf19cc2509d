#include "tools/commands/help/help_text.hpp"
#include "tools/testing/program_run.hpp"
#include "tools/text/text_width.hpp"
#include "traces/catalog/catalog.hpp"

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace keyswap::tools {
namespace {

TEST(CommandLine, NamesAMisspeltCommandOrOptionAndWhatWasMeant) {
    auto const command = run_line("plann");
    EXPECT_EQ(command.code, ExitCode::could_not_run);
    EXPECT_EQ(command.errors,
              "keyswap: error: 'plann': is not a command of 'keyswap' (did you mean 'plan'? Or see "
              "'keyswap --help')\n");
    EXPECT_EQ(run_line("plann --keys 5").errors, command.errors);
    EXPECT_NE(run_line("plan --keys 5 --keys 6").errors.find("--keys: is given 2 times"),
              std::string::npos);
    auto const option = run_line("sort --distribution uniform --typ u32");
    EXPECT_EQ(option.code, ExitCode::could_not_run);
    EXPECT_EQ(
        option.errors,
        "keyswap: error: '--typ': is not an option of 'keyswap sort' (did you mean '--type'? Or "
        "see 'keyswap sort --help')\n");
    EXPECT_EQ(
        run_line("check a b --break-even").errors,
        "keyswap: error: '--break-even': is not an option of 'keyswap check' (it is an option "
        "of whatif; see 'keyswap check --help')\n");
    EXPECT_NE(run_line("simulate --gpu-count 3").errors.find("did you mean '--gpus'?"),
              std::string::npos);
}

TEST(CommandLine, SaysEveryErrorInOneLineAndNothingOnStandardOutput) {
    for (std::vector<std::string> const& arguments :
         {std::vector<std::string>{"bogus"},
          {"help", "bogus"},
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
        // A message ends with its remedy in parentheses.
        EXPECT_TRUE(result.errors.ends_with(")\n")) << result.errors << shown;
    }
}

TEST(CommandLine, NamesTheOptionOfAWrongValue) {
    std::string const plan = "plan --distribution uniform --keys 9 ";
    for (auto const& [line, subject] :
         {std::pair{plan + "--type u33", "--type"},
          std::pair{plan + "--algorithm rgm", "--algorithm"},
          std::pair{plan + "--variant slow", "--variant"},
          std::pair{plan + "--direction up", "--direction"},
          std::pair{plan + "--zero-order none", "--zero-order"},
          std::pair{std::string("plan --distribution unifrm --keys 9"), "--distribution"},
          std::pair{std::string("simulate --values 33"), "--values"},
          std::pair{std::string("check a b --format tiff"), "--format"}}) {
        std::string const errors = run_line(line).errors;
        EXPECT_TRUE(errors.starts_with("keyswap: error: " + std::string(subject) + ": '"))
            << errors;
    }
}

TEST(CommandLine, WordsAfterTwoDashesAreFiles) {
    std::string const errors = run_line("check ./-none.bin --type u32 -- -none.bin").errors;
    EXPECT_TRUE(errors.starts_with("keyswap: error: ./-none.bin: cannot be read")) << errors;
    EXPECT_NE(run_line("check --type u32 -none.bin b").errors.find("is not an option"),
              std::string::npos);
}

TEST(CommandLine, ShowsLineBreaksOfAValueAsTheyWereWritten) {
    auto const result = run_program({"plan", "--keys", "10", "--seed", "1\n2"});
    EXPECT_NE(result.errors.find("'1\\n2'"), std::string::npos) << result.errors;
}

TEST(CommandLine, HelpNamesTheSortsOfAParameterWithDefaultsOfTheirOwn) {
    std::string const help = run_line("help sort").output;
    std::map<std::string_view, std::uint64_t> defaults; // of the first sort
    std::size_t own_defaults = 0;
    for (AlgorithmInfo const* const algorithm : catalog()) {
        for (ParameterInfo const& parameter : algorithm->parameters) {
            auto const first = defaults.emplace(parameter.name, parameter.default_value).first;
            bool const own = parameter.default_value != first->second;
            std::size_t const at = help.find("--" + std::string(parameter.name) + " ");
            ASSERT_NE(at, std::string::npos) << parameter.name;
            std::string const sorts = help.substr(at, help.find(": ", at) - at) + ",";
            std::string const shown =
                " " + std::string(algorithm->name) +
                (own ? " (" + std::to_string(parameter.default_value) + ")" : "") + ",";
            EXPECT_NE(sorts.find(shown), std::string::npos) << shown << " in " << sorts;
            own_defaults += own ? 1 : 0;
        }
    }
    EXPECT_GT(own_defaults, 0U);
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
                                  "--gpu-limit if you trust the file)"),
              std::string::npos)
        << refused.errors;
    EXPECT_EQ(with({"--gpu-limit", "4"}).code, ExitCode::fine);
    EXPECT_EQ(with({}).code, ExitCode::fine);
    EXPECT_NE(with({"--depth-limit", "1e6"}).errors.find("--depth-limit: 1000000 is more"),
              std::string::npos);
    EXPECT_NE(with({"--gpu-limt", "4"}).errors.find("did you mean '--gpu-limit'"),
              std::string::npos);
}

TEST(CommandLine, ReportsACombinationThatCannotRunAndPrintsTheTable) {
    auto const result = run_line("whatif --keys 1000 --input-on node:16");
    EXPECT_EQ(result.code, ExitCode::could_not_run);
    EXPECT_NE(result.output.find("has no NUMA node 16"), std::string::npos);
    EXPECT_NE(result.errors.find("whatif: 1 of 1 combinations could not run; the first: "
                                 "--input-on: 'dgx-a100' has no NUMA node 16 ("),
              std::string::npos)
        << result.errors;
}

TEST(CommandLine, RefusesAListWithAnEmptyItem) {
    for (auto const& [list, error] :
         {std::pair<std::string, std::string>{"--keys 1e5,", "--keys: item 2 of '1e5,' is empty"},
          {"--keys=,1e5", "--keys: item 1 of ',1e5' is empty"},
          {"--keys 1e5 1e6,,1e7", "--keys: item 2 of '1e6,,1e7' is empty"},
          {"--keys 1e5 --type u32,u64,", "--type: item 3 of 'u32,u64,' is empty"}}) {
        auto const result = run_line("whatif " + list);
        EXPECT_EQ(result.code, ExitCode::could_not_run) << list;
        EXPECT_NE(result.errors.find(error), std::string::npos) << result.errors;
    }
    EXPECT_EQ(run_line("whatif --keys 1e5,1e6").code, ExitCode::fine);
}

TEST(CommandLine, HelpAndVersionAreNoErrors) {
    for (auto const& [words, same] :
         {std::pair<std::vector<std::string>, std::vector<std::string>>{{"--help"}, {}},
          {{"--help"}, {"help"}},
          {{"--version"}, {"version"}},
          {{"check", "--help"}, {"help", "check"}},
          {{"topology", "--help"}, {"topology"}},
          {{"topology", "show", "--help"}, {"help", "topology", "show"}}}) {
        auto const result = run_program(words);
        EXPECT_EQ(result.code, ExitCode::fine);
        EXPECT_FALSE(result.output.empty());
        EXPECT_EQ(result.errors, "");
        EXPECT_EQ(run_program(same).output, result.output);
        EXPECT_EQ(run_program(same).code, ExitCode::fine);
    }
}

TEST(CommandLine, RefusesHelpOfWhatIsNoCommand) {
    for (auto const& [words, error] :
         {std::pair<std::vector<std::string>, std::string>{
              {"help", "chekc"}, "'chekc': is not a command of 'keyswap' (did you mean 'check'?"},
          {{"help", "topology", "shwo"},
           "is not a command of 'keyswap topology' (did you mean "
           "'show'?"},
          {{"help", "check", "x"}, "is not a command of 'keyswap check' (see 'keyswap check"}}) {
        auto const result = run_program(words);
        EXPECT_EQ(result.code, ExitCode::could_not_run);
        EXPECT_EQ(result.output, "");
        EXPECT_NE(result.errors.find(error), std::string::npos) << result.errors;
    }
}

TEST(CommandLine, HelpFitsTheTerminalAndHasLimitsLast) {
    NarrowTerminal const terminal("80");
    CommandInfo const program = program_words();
    for (CommandInfo const* command : all_commands(program)) {
        std::vector<std::string> words(command->path.begin() + 1, command->path.end());
        words.emplace_back("--help");
        std::string const help = run_program(words).output;
        EXPECT_LE(width_of(widest_line(help)), 80U) << command->full_name() << '\n'
                                                    << widest_line(help);
    }
    std::string const help = run_program({}).output;
    EXPECT_LT(help.find("\nCommands:\n"), help.find("\nOptions:\n"));
    EXPECT_LT(help.find("Exit status"), help.find("\nLimits on input files"));
    EXPECT_LT(help.find("\nLimits on input files"), help.find("--gpu-limit"));
}

TEST(CommandLine, UsageNamesEveryPositionalArgument) {
    CommandInfo const program = program_words();
    for (CommandInfo const* command : all_commands(program)) {
        std::string const help = help_text(*command, 10'000);
        std::string const behind = help.substr(help.find("\nUsage: ") + 1);
        std::string const usage = behind.substr(0, behind.find('\n'));
        for (OptionInfo const& option : command->options) {
            std::string name = option.positional;
            std::ranges::transform(name, name.begin(), [](unsigned char letter) {
                return static_cast<char>(std::toupper(letter));
            });
            EXPECT_NE(usage.find(name), std::string::npos) << name << " in " << usage;
        }
    }
}

TEST(CommandLine, HelpListsOnlyTheValuesThatAnOptionTakes) {
    EXPECT_EQ(run_line("help sssp").output.find("materialized"), std::string::npos);
    EXPECT_EQ(run_line("help check").output.find("none, 32"), std::string::npos);
    std::string const help = run_line("help whatif").output;
    EXPECT_NE(help.find("[dgx-a100]"), std::string::npos) << help;
    EXPECT_EQ(help.find("[[dgx-a100]]"), std::string::npos) << help;
}

TEST(CommandLine, ErrorsFitTheTerminalAndResultsForProgramsAreNotBroken) {
    std::vector<std::string> const wrong{"plan", "--keys", "10", "--distribution", "unifrm"};
    std::string const whole = run_program(wrong).errors;
    EXPECT_GT(width_of(widest_line(whole)), 80U);
    std::vector<std::string> const json{"whatif", "--keys", "1e6", "--json"};
    std::vector<std::string> const csv{"whatif", "--keys", "1e6", "--csv", "-"};
    std::string const json_output = run_program(json).output;
    std::string const csv_output = run_program(csv).output;
    NarrowTerminal const terminal("60");
    std::string const broken = run_program(wrong).errors;
    EXPECT_LE(width_of(widest_line(broken)), 60U) << broken;
    EXPECT_EQ(run_program(json).output, json_output);
    EXPECT_EQ(run_program(csv).output, csv_output);
}

TEST(CommandLine, SuggestsWhatWasMeant) {
    for (auto const& [words, meant] : std::vector<std::pair<std::vector<std::string>, std::string>>{
             {{"sim"}, "simulate"},
             {{"PLAN"}, "plan"},
             {{"simulate", "--platform", "DGX-A100"}, "dgx-a100"},
             {{"simulate", "--platform", "a100"}, "dgx-a100"},
             {{"simulate", "--swap", "bynode"}, "by-node"},
             {{"simulate", "--input-on", "interleave"}, "interleaved"},
             {{"plan", "--keys", "9", "--distribution", "uniform", "--direction", "desc"},
              "descending"},
             {{"plan", "--keys", "9", "--distribution", "uniform", "--source", "stream"},
              "streamed"},
             {{"plan", "--keys", "9", "--distribution", "Zipf"}, "zipf"},
             {{"plan", "--keys", "9", "--distribution", "uniform", "--type", "U32"}, "u32"},
             {{"check", "a", "b", "--operation", "split"}, "multisplit"},
             {{"check", "a", "b", "--value-bits", "46"}, "64"},
             {{"topology", "export", "ac922", "--format", "grid"}, "simgrid"},
             {{"completion", "Bash"}, "bash"}}) {
        std::string const errors = run_program(words).errors;
        EXPECT_NE(errors.find("did you mean '" + meant + "'?"), std::string::npos) << errors;
    }
}

TEST(Distributions, AreNamedInOneWayInEveryCommand) {
    std::vector<std::vector<std::string>> const commands{
        {"plan", "--keys", "1000"},
        {"sort", "--keys", "1000"},
        {"simulate", "--keys", "1000000"},
        {"whatif", "--keys", "1000000"},
        {"report", "--keys", "1000", "--output", "-"},
        {"multisplit", "--keys", "1000", "--rule", "delta", "--buckets", "8"},
        {"histogram", "--keys", "1000", "--bins", "8", "--range", "0:1024"},
        {"record", "--command", "cat {input} > {output}", "--keys", "10", "--runs", "1"}};
    for (std::vector<std::string> const& command : commands) {
        auto const run = [&command](std::vector<std::string> const& more) {
            auto arguments = command;
            arguments.insert(arguments.end(), more.begin(), more.end());
            return run_program(arguments);
        };
        // Parameter 17 is out of range: the error shows that each spelling is parsed.
        for (std::vector<std::string> const& spelling :
             {std::vector<std::string>{"--distribution", "zipf=17"},
              std::vector<std::string>{"--distribution", "zipf:17"},
              std::vector<std::string>{"--distribution", "zipf", "--parameter", "17"}}) {
            auto const refused = run(spelling);
            EXPECT_EQ(refused.code, ExitCode::could_not_run) << command.front();
            EXPECT_NE(refused.errors.find("16"), std::string::npos) << refused.errors;
        }
        auto const twice = run({"--distribution", "zipf=1", "--parameter", "1"});
        EXPECT_EQ(twice.code, ExitCode::could_not_run) << command.front();
        EXPECT_NE(twice.errors.find("--parameter"), std::string::npos) << twice.errors;
        auto const none = run({"--distribution", "zipf="});
        EXPECT_EQ(none.code, ExitCode::could_not_run) << command.front();
        EXPECT_NE(none.errors.find("write it as zipf=0.75"), std::string::npos) << none.errors;
    }
}

} // namespace
} // namespace keyswap::tools
