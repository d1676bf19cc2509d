/// \file Compares the errors of every command for invalid option values with recorded
/// ones.

#include "tools/commands/help/command_tree.hpp"
#include "tools/testing/recorded_answers.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace keyswap::tools {
namespace {

/// A fast command line for each command.
std::map<std::string, std::string> lines_of_commands() {
    return {{"sort", "sort --distribution uniform --keys 9 --gpu-count 2"},
            {"plan", "plan --distribution uniform --keys 9 --gpu-count 2"},
            {"check", "check @keys.csv @sorted.csv --type u32"},
            {"verify", "verify @run.trace"},
            {"record",
             "record --command X={input}{output} --keys 1 --distribution zero --folder @runs"},
            {"multisplit", "multisplit --distribution uniform --keys 9 --buckets 2"},
            {"histogram", "histogram --distribution uniform --keys 9 --bins 2 --range 0:9"},
            {"sssp", "sssp --graph grid:3"},
            {"simulate", "simulate --keys 1e5 --platform ac922 --gpus 0"},
            {"whatif", "whatif --keys 1e5 --platform ac922 --gpus 0"},
            {"topology show", "topology show ac922"},
            {"topology draw", "topology draw ac922 --dot -"},
            {"topology import", "topology import @topo.txt --gpu A100"},
            {"topology export", "topology export ac922"},
            {"validate", "validate @keys.csv --platform ac922"},
            {"calibrate", "calibrate @keys.csv --platform ac922"},
            {"report", "report --distribution uniform --keys 9 --gpu-count 2 --json"},
            {"bench", "bench --keys 9"},
            {"bench-simulator", "bench-simulator --gpu-count 2 --tolerance 0"}};
}

/// True if the option names a file or folder that the command creates.
bool writes(OptionInfo const& option) {
    constexpr std::array names{"--output",
                               "--output-values",
                               "--output-platform",
                               "--record",
                               "--starts",
                               "--trace",
                               "--junit",
                               "--folder",
                               "--name",
                               "--matrix",
                               "--csv",
                               "--svg",
                               "--png",
                               "--dot",
                               "--tables",
                               "--out",
                               "--chrome-trace",
                               "--command"}; // errors come from the shell
    return std::ranges::any_of(option.names, [&names](std::string const& name) {
        return std::ranges::find(names, name) != names.end();
    });
}

/// Last line of the error; "taken" if the value is accepted.
std::string refusal_of(ProgramRun const& run) {
    if (run.code != ExitCode::could_not_run) {
        return "taken";
    }
    auto const lines = testing::lines_of(run.errors);
    // Messages of CLI11 depend on its version.
    bool const by_parser = !lines.empty() && lines.back().ends_with("--help')");
    return lines.empty() || by_parser ? "refused" : lines.back();
}

class RecordedRefusals : public RecordedAnswers {
  public:
    RecordedRefusals() {
        put("topo.txt",
            "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
            "GPU0\t X \tNV12\t0-63\t0\n"
            "GPU1\tNV12\t X \t64-127\t1\n");
        prepare("sort @keys.csv --type u32 --gpu-count 2 --record @run.trace");
        std::filesystem::current_path(path("")); // a folder without files named like values
    }
    RecordedRefusals(RecordedRefusals const&) = delete;
    RecordedRefusals& operator=(RecordedRefusals const&) = delete;
    ~RecordedRefusals() override { std::filesystem::current_path(before_); }

  protected:
    /// The command line with the option's value replaced, or with the option appended.
    [[nodiscard]] Words
    with_value(std::string const& line, std::string const& name, std::string const& value) const {
        Words words = words_of(with_folder(line));
        auto const given = std::ranges::find(words, name);
        if (given == words.end()) {
            words.insert(words.end(), {name, value});
        } else {
            *(given + 1) = value;
        }
        return words;
    }

  private:
    std::filesystem::path before_ = std::filesystem::current_path();
};

TEST_F(RecordedRefusals, OfValuesThatOptionsCannotHaveAreAsTheyWere) {
    auto const lines = lines_of_commands();
    CommandInfo const program = program_words();
    for (CommandInfo const* command : all_commands(program)) {
        std::string const command_name = command->full_name();
        auto const found = lines.find(
            command_name.substr(std::min(command_name.size(), command_name.find(' ') + 1)));
        if (found == lines.end()) {
            continue;
        }
        for (OptionInfo const& option : command->options) {
            if (option.names.empty() || !option.takes_value() || writes(option)) {
                continue;
            }
            for (char const* const value : {"-1", "x", "1e40", ""}) {
                std::string const& name = option.names.front();
                auto const run = run_program(with_value(found->second, name, value));
                std::string const said = masked(refusal_of(run));
                if (said != "taken") {
                    add(found->first + " " + name + " '" + value + "': " + said.substr(0, 150));
                }
            }
        }
    }
    expect_as_recorded("refusals");
}

} // namespace
} // namespace keyswap::tools
