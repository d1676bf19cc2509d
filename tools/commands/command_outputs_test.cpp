// Rules for the files that commands write: a file appears complete or not at all, and existing
// files are not lost.

#include "tools/commands/help/command_tree.hpp"
#include "tools/testing/output_cases.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

/// True if the command has the option.
bool has_option(CommandInfo const& command, std::string const& name) {
    return std::ranges::any_of(command.options, [&name](OptionInfo const& option) {
        return std::ranges::find(option.names, name) != option.names.end();
    });
}

TEST_F(CommandOutputs, TheCasesHoldEveryCommand) {
    // bench needs GPUs; help and version only print text.
    std::set<std::string> tested{"bench", "help", "version"};
    for (OutputCase const& one : cases()) {
        tested.insert(one.command);
    }
    CommandInfo const program = program_words();
    for (CommandInfo const* command : all_commands(program)) {
        if (!command->commands.empty()) {
            continue;
        }
        std::string const name = command->full_name().substr(std::string("keyswap ").size());
        EXPECT_TRUE(tested.contains(name)) << name;
        for (OutputCase const& one : cases()) {
            if (one.command == name) {
                EXPECT_EQ(one.json, has_option(*command, "--json")) << name;
                EXPECT_EQ(!one.outputs.empty(), has_option(*command, "--force")) << name;
            }
        }
    }
}

TEST_F(CommandOutputs, ANamePromisesTheCompressionOfItsFile) {
    std::vector<OutputCase> all = cases();
    Words const memory{path("keys.csv"), "--type", "u32", "--memory", "16M"};
    Words parts = memory;
    parts.insert(parts.end(), {"--output-parts", "2"});
    all.push_back({"sort", memory, {"--output"}});
    all.push_back({"sort", parts, {"--output"}});
    all.push_back(
        {"generate", {"--keys", "10", "--record-bytes", "100", "--key", "0:10"}, {"--output"}});
    for (OutputCase const& one : all) {
        for (std::string const& option : one.outputs) {
            for (std::string const ending : {".gz", ".ZST"}) {
                bool const has_parts = std::ranges::count(one.arguments, "--output-parts") > 0;
                std::string const file = path((has_parts ? "{part}" : "x") + option + ending);
                auto const outcome = run_program(words_of(one, {option, file}));
                bool const is_trace = option == "--record";
                EXPECT_EQ(outcome.code == ExitCode::could_not_run, !is_trace)
                    << one.command << ' ' << option << ' ' << outcome.errors;
                EXPECT_EQ(std::filesystem::exists(file), is_trace) << file;
                EXPECT_TRUE(is_trace ||
                            outcome.errors.find("would not be compressed") != std::string::npos)
                    << one.command << ' ' << option << ' ' << outcome.errors;
                std::filesystem::remove(file);
            }
        }
    }
}

TEST_F(CommandOutputs, ANameOfAFormatThatIsNotWrittenIsRefused) {
    for (std::string const line :
         {"sort @keys.csv --type u32 --output @x.parquet",
          "sort @keys.csv --type u32 --memory 16M --output @x.parquet",
          "sort @keys.csv --type u32 --ranks 2 --output @x.parquet",
          "sort @keys.csv --type u32 --ranks 2 --output @x --values 32 --output-values @x.json",
          "generate --keys 10 --output @x.feather",
          "generate --keys 10 --record-bytes 8 --key 0:8 --output @x.csv",
          "multisplit @keys.csv --type u32 --buckets 2 --output @x.h5"}) {
        auto const outcome = run_line(line);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run) << line;
        EXPECT_NE(outcome.errors.find("choose"), std::string::npos) << line << outcome.errors;
    }
    EXPECT_EQ(run_line("sort @keys.csv --type u32 --output @x.parquet --output-format raw").code,
              ExitCode::fine);
}

TEST_F(CommandOutputs, AFileIsKeptUnlessItIsToBeReplaced) {
    for (OutputCase const& one : cases()) {
        for (std::string const& option : one.outputs) {
            std::string const shown = one.command + ' ' + option;
            std::string const old = put("old", "precious");
            auto const kept = run_program(words_of(one, {option, old}));
            EXPECT_EQ(kept.code, ExitCode::could_not_run) << shown;
            EXPECT_NE(kept.errors.find("--force"), std::string::npos) << shown << kept.errors;
            EXPECT_EQ(text("old"), "precious") << shown;
            auto const replaced = run_program(words_of(one, {option, old, "--force"}));
            EXPECT_NE(replaced.code, ExitCode::could_not_run) << shown << replaced.errors;
            EXPECT_NE(text("old"), "precious") << shown;
        }
    }
}

/// Removes the first line if it has a platform's name: an imported platform is named after its
/// file.
std::string without_name(std::string const& text) {
    return text.starts_with("name = ") ? text.substr(text.find('\n')) : text;
}

std::string without_times(std::string text) {
    std::size_t const at = text.find(R"({"record":"verdict","property":"times")");
    return at == std::string::npos ? text : text.erase(at, text.find('\n', at) + 1 - at);
}

TEST_F(CommandOutputs, ADashIsStandardOutputAndNothingElseIsPrintedThere) {
    for (OutputCase const& one : cases()) {
        for (std::string const& option : one.outputs) {
            std::string const shown = one.command + ' ' + option;
            auto const outcome = run_program(words_of(one, {option, "-"}));
            EXPECT_NE(outcome.code, ExitCode::could_not_run) << shown << outcome.errors;
            ASSERT_NE(run_program(words_of(one, {option, path("file"), "--force"})).code,
                      ExitCode::could_not_run);
            if (shown != "report --output") { // a page contains its command line
                EXPECT_EQ(without_name(without_times(outcome.output)),
                          without_name(without_times(text("file"))))
                    << shown;
            }
            if (one.json) {
                auto const both = run_program(words_of(one, {option, "-", "--json"}));
                EXPECT_EQ(both.code, ExitCode::could_not_run) << shown;
                EXPECT_NE(both.errors.find("standard output"), std::string::npos) << both.errors;
            }
        }
    }
}

TEST_F(CommandOutputs, ALinkToNothingIsANameThatIsTaken) {
    std::filesystem::create_symlink(path("nothing"), path("link.xml"));
    auto const run = run_line("verify @run.trace --junit @link.xml");
    EXPECT_EQ(run.code, ExitCode::could_not_run);
    EXPECT_EQ(run.output, "") << "verified before it was refused";
    EXPECT_NE(run.errors.find("choose another --junit"), std::string::npos) << run.errors;
    EXPECT_EQ(run_line("verify @run.trace --junit @link.xml --force").code, ExitCode::fine);
}

TEST_F(CommandOutputs, AReportThatCannotBeMadeLeavesNoFolder) {
    auto const run = run_line("report @run.trace --tables @tables --chrome-trace @chrome.json");
    EXPECT_EQ(run.code, ExitCode::could_not_run);
    EXPECT_NE(run.errors.find("none of these has times"), std::string::npos) << run.errors;
    EXPECT_FALSE(std::filesystem::exists(path("tables")));
}

TEST_F(CommandOutputs, NoInputIsEverWrittenTo) {
    std::string const trace = text("run.trace");
    std::string const runs = text("runs.csv");
    std::string const keys = text("keys.csv");
    std::filesystem::create_hard_link(path("keys.csv"), path("other-name.csv"));
    std::filesystem::create_symlink(path("run.trace"), path("link.trace"));
    std::string const platform = path("platform.toml");
    ASSERT_EQ(run_line("topology export ac922 --format toml --output " + platform).code,
              ExitCode::fine);
    std::string const exported = text("platform.toml");
    for (Words words : std::vector<Words>{
             {"verify", path("run.trace"), "--junit", path("run.trace")},
             {"verify", path("run.trace"), "--junit", path("link.trace")},
             {"verify", path("run.trace"), "--junit", path("./run.trace")},
             {"calibrate",
              path("runs.csv"),
              "--platform",
              "dgx-a100",
              "--output",
              path("runs.csv")},
             {"sort", path("keys.csv"), "--type", "u32", "--record", path("keys.csv")},
             {"sort", path("keys.csv"), "--type", "u32", "--output", path("other-name.csv")},
             {"report", path("run.trace"), "--output", path("run.trace")},
             {"topology", "export", platform, "--output", platform},
             {"topology", "draw", platform, "--dot", platform}}) {
        words.emplace_back("--force");
        auto const outcome = run_program(words);
        EXPECT_EQ(outcome.code, ExitCode::could_not_run) << ::testing::PrintToString(words);
        EXPECT_NE(outcome.errors.find("would be overwritten"), std::string::npos) << outcome.errors;
    }
    EXPECT_EQ(text("run.trace"), trace);
    EXPECT_EQ(text("runs.csv"), runs);
    EXPECT_EQ(text("keys.csv"), keys);
    EXPECT_EQ(text("platform.toml"), exported);
}

TEST_F(CommandOutputs, TwoOutputsOfOneNameAreRefused) {
    for (OutputCase const& one : cases()) {
        for (std::size_t i = 1; i < one.outputs.size(); ++i) {
            for (std::string const& name : {path("same"), std::string("-")}) {
                auto const outcome =
                    run_program(words_of(one, {one.outputs[0], name, one.outputs[i], name}));
                EXPECT_EQ(outcome.code, ExitCode::could_not_run) << one.command;
                EXPECT_NE(outcome.errors.find(one.outputs[i]), std::string::npos)
                    << one.command << outcome.errors;
            }
        }
    }
    auto const left = files();
    EXPECT_EQ(std::ranges::count(left, "same"), 0);
}

TEST_F(CommandOutputs, ARowThatCouldNotRunHasNoTime) {
    Words const words{"whatif",
                      "--keys",
                      "1e6",
                      "--gpus",
                      "0,1,2",
                      "--algorithm",
                      "rmg-paper,p2p-merge",
                      "--csv",
                      "-"};
    auto const outcome = run_program(words);
    EXPECT_EQ(outcome.code, ExitCode::fine) << outcome.errors;
    EXPECT_NE(outcome.output.find("rmg-paper,1000000,"), std::string::npos) << outcome.output;
    auto const failed = outcome.output.find("p2p-merge,1000000,");
    ASSERT_NE(failed, std::string::npos) << outcome.output;
    EXPECT_NE(
        outcome.output.substr(failed, outcome.output.find('\n', failed) - failed).find(",,,,"),
        std::string::npos)
        << outcome.output;
    put("sweep.csv", outcome.output);
    auto const page = run_line("report @sweep.csv --output @page.html");
    EXPECT_EQ(page.code, ExitCode::fine) << page.errors;
    EXPECT_EQ(run_line("whatif --keys 1e6 --algorithm typo").code, ExitCode::could_not_run);
}

} // namespace
} // namespace keyswap::tools
