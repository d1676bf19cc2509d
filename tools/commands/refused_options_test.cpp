// A value that an option does not take, or an option without effect, is refused and named.

#include "tools/commands/help/command_tree.hpp"
#include "tools/testing/output_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

// The path of a file in a missing folder is neither a number nor a known name, and can be neither
// read nor written.
TEST_F(CommandOutputs, AValueThatNoOptionHasIsRefusedAndNamed) {
    std::set<std::string> const takes_any{"topology import --name",
                                          "topology here --name",
                                          // These create folders.
                                          "record --folder",
                                          "report --tables"};
    CommandInfo const program = program_words();
    for (OutputCase const& one : cases()) {
        for (CommandInfo const* command : all_commands(program)) {
            if (command->full_name() != "keyswap " + one.command) {
                continue;
            }
            for (OptionInfo const& option : command->options) {
                if (option.names.empty() || !option.takes_value()) {
                    continue;
                }
                std::string const value = path("no" + option.names.front() + "/?");
                std::string const name = one.command + " " + option.names.front();
                if (takes_any.contains(name)) {
                    continue;
                }
                // A page of only a trace uses neither a machine nor keys.
                Words words =
                    one.command == "report"
                        ? Words{"report", "--platform", "ac922", "--keys", "1000", "--json"}
                        : words_of(one, {});
                auto const given = std::ranges::find(words, option.names.front());
                if (given == words.end()) {
                    words.insert(words.end(), {option.names.front(), value});
                } else {
                    *(given + 1) = value;
                }
                auto const outcome = run_program(words);
                EXPECT_EQ(outcome.code, ExitCode::could_not_run) << name << outcome.output;
                EXPECT_TRUE((outcome.errors + outcome.output).find(option.names.front()) !=
                                std::string::npos ||
                            (outcome.errors + outcome.output).find(value) != std::string::npos)
                    << name << ": " << outcome.errors;
            }
        }
    }
}

/// A command line, and options without effect on it.
struct WithoutMeaning {
    Words asked;
    std::vector<Words> options; ///< each with a valid value
};

TEST_F(CommandOutputs, AnOptionWithoutMeaningIsRefusedAndNamed) {
    std::string const rates =
        put("rates.csv", testing::text_of(KEYSWAP_SOURCE_DIR "/traces/measurements/rates.csv"));
    ASSERT_EQ(run_line("sort --distribution uniform --keys 100 --record @made.trace").code,
              ExitCode::fine);
    ASSERT_EQ(
        run_line("multisplit --distribution uniform --keys 100 --buckets 2 --record @split.trace")
            .code,
        ExitCode::fine);
    put("sweep.csv", run_line("whatif --keys 1e5 --gpus 0,1 --csv -").output);
    std::vector<Words> const of_made_keys{
        {"--distribution", "zipf"}, {"--parameter", "1"}, {"--keys", "10"}, {"--seed", "1"}};
    std::vector<Words> const of_files{{"--format", "csv"}, {"--column", "1"}};
    std::vector<Words> const of_plans{{"--algorithm", "rmg-fast"},
                                      {"--keys", "10"},
                                      {"--type", "u32"},
                                      {"--parameter", "1"},
                                      {"--values", "32"},
                                      {"--seed", "1"},
                                      {"--gpu-count", "2"},
                                      {"--digit-bits", "8"},
                                      {"--tolerance-ppm", "7"},
                                      {"--fuse-ppm", "7"}};
    std::vector<Words> const of_simulations{
        {"--input-on", "node:0"}, {"--output-on", "node:0"}, {"--rate-tolerance", "0.01"}};
    auto const both = [](std::vector<Words> some, std::vector<Words> const& more) {
        some.insert(some.end(), more.begin(), more.end());
        return some;
    };
    auto const with = [](Words words, Words const& more) {
        words.insert(words.end(), more.begin(), more.end());
        return words;
    };
    Words const made{"--distribution", "uniform", "--keys", "10"};
    std::vector<WithoutMeaning> cases{
        {{"record", "--command", "cp {input} {output}", "--keys", "10", "--folder", path("r")},
         {{"--library", "./x.so"}, {"--function", "sort"}, {"--values", "32"}, {"--stable"}}},
        {{"calibrate", path("runs.csv"), "--platform", "dgx-a100"},
         {{"--gpus", "0"}, {"--probe-keys", "1e5"}}},
        {{"calibrate", rates, "--profile", "gtx1080"},
         {{"--gpus", "0"},
          {"--probe-keys", "1e5"},
          {"--platform", "dgx-a100"},
          {"--output-platform", path("platform.toml")},
          {"--rounds", "1"},
          {"--hold-out", "2"},
          {"--min-phase-ms", "1"},
          {"--no-links"}}},
        {{"calibrate", "--probe"},
         {{"--platform", "dgx-a100"},
          {"--rounds", "1"},
          {"--hold-out", "2"},
          {"--min-phase-ms", "1"},
          {"--no-links"}}},
        {{"validate", rates},
         {{"--platform", "dgx-a100"},
          {"--profile", "a100"},
          {"--min-keys", "1"},
          {"--min-phase-ms", "1"},
          {"--max-phase-p95-error", "1"},
          {"--hold-out", "gpus"}}},
        {{"report", path("made.trace"), "--json"}, both(of_plans, of_simulations)},
        {{"report", path("split.trace"), "--json"},
         {{"--type", "u32"}, {"--seed", "1"}, {"--gpu-count", "2"}}},
        {{"report", path("sweep.csv"), "--json"},
         {{"--platform", "ac922"}, {"--type", "u32"}, {"--seed", "1"}, {"--records-only"}}},
        {{"report", rates, "--json"},
         {{"--platform", "ac922"}, {"--values", "32"}, {"--records-only"}}},
        {with({"report", "--json"}, made),
         both(of_simulations, {{"--gpus", "0"}, {"--profile", "a100"}, {"--ways", "8"}})},
        {{"report", path("made.trace"), "--platform", "dgx-a100", "--json"},
         {{"--keys", "10"},
          {"--type", "u32"},
          {"--values", "32"},
          {"--parameter", "1"},
          {"--seed", "1"},
          {"--gpu-count", "2"},
          {"--ways", "8"}}},
        {{"check", path("keys.csv"), path("sorted.csv"), "--type", "u32"},
         {{"--rule", "delta"},
          {"--buckets", "2"},
          {"--starts", path("starts")},
          {"--value-bits", "64"},
          {"--stable"}}},
        {{"simulate", "--keys", "1e5", "--gpus", "0,1"}, {{"--cpu-threads", "8"}}},
        {{"simulate", "--keys", "1e5", "--device", "knf", "--algorithm", "split-radix"},
         {{"--platform", "ac922"}, {"--gpus", "0"}, {"--seed", "1"}, {"--swap", "flat"}}},
        {{"whatif", "--keys", "1e5", "--gpus", "0"}, {{"--device", "h200"}, {"--rule", "delta"}}}};
    for (std::string const command : {"sort", "plan", "multisplit", "histogram"}) {
        Words const buckets = command == "multisplit"  ? Words{"--buckets", "2"}
                              : command == "histogram" ? Words{"--bins", "2", "--range", "0:9"}
                                                       : Words{};
        cases.push_back(
            {with({command, path("keys.csv"), "--type", "u32"}, buckets), of_made_keys});
        cases.push_back({with(with({command}, made), buckets), of_files});
    }
    for (WithoutMeaning const& one : cases) {
        for (Words const& option : one.options) {
            auto const outcome = run_program(with(one.asked, option));
            std::string const shown = ::testing::PrintToString(with(one.asked, option));
            EXPECT_EQ(outcome.code, ExitCode::could_not_run) << shown << outcome.output;
            EXPECT_NE(outcome.errors.find(option.front()), std::string::npos)
                << shown << outcome.errors;
            EXPECT_NE(outcome.errors.find(" ("), std::string::npos) << shown << outcome.errors;
        }
    }
}

} // namespace
} // namespace keyswap::tools
