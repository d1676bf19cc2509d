// Rules for the outputs of all commands: a file appears complete or not at all, existing files are
// not lost, a failed write exits with status 2, and --json names the command that made it.

#include "tools/commands/help/command_tree.hpp"
#include "tools/options/standard_input.hpp"
#include "tools/testing/program_run.hpp"
#include "tools/text/json.hpp"
#include "traces/format/byte_sink.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fcntl.h>
#include <set>
#include <stdio_ext.h>
#include <sys/stat.h>
#include <unistd.h>

namespace keyswap::tools {
namespace {

using Words = std::vector<std::string>;

constexpr char const* full_device = "/dev/full"; ///< every write fails

/// A runnable command line, and its options that name an output.
struct OutputCase {
    std::string command; ///< "topology show"
    Words arguments;
    Words outputs;
    bool text = true; ///< prints text if no output is named
    bool json = false;
};

class CommandOutputs : public FolderTest {
  protected:
    CommandOutputs() {
        put("keys.csv", "7\n3\n7\n1\n9\n");
        put("sorted.csv", "1\n3\n7\n7\n9\n");
        put("topo.txt",
            "\tGPU0\tGPU1\tCPU Affinity\tNUMA Affinity\n"
            "GPU0\t X \tNV12\t0-63\t0\n"
            "GPU1\tNV12\t X \t64-127\t1\n");
        // Lets `topology here` find a machine with GPUs.
        put("nvidia-smi",
            "#!/bin/sh\ncase \"$1\" in topo) cat \"$(dirname \"$0\")/topo.txt\";; *) echo "
            "'NVIDIA A100-SXM4-40GB';; esac\n");
        EXPECT_EQ(::chmod(path("nvidia-smi").c_str(), S_IRWXU), 0);
        char const* const programs = std::getenv("PATH");
        std::string const folder = path("");
        ::setenv("PATH", (folder + ":" + (programs == nullptr ? "" : programs)).c_str(), 1);
        put("runs.csv",
            "cuda_device_name,num_system_gpus,sorting_algorithm,num_keys,gpus,num_cpu_threads,"
            "data_type,distribution_type,distribution_parameter,chunk_size,num_thread_blocks,"
            "device_memory_in_bytes,device_memory_overhead,local_sort_memory_overhead,"
            "num_partitioning_passes_needed,sort_duration_breakdown,total_sort_duration\n" +
                measured("1000000000", "157.3,0,34.7,167.5", "359.5") +
                measured("2000000000", "314.6,0,69.5,335.0", "719.1"));
        EXPECT_EQ(run_line("sort @keys.csv --type u32 --gpu-count 2 --record @run.trace").code,
                  ExitCode::fine);
    }

    /// One small run of every command that prints or writes anything.
    [[nodiscard]] std::vector<OutputCase> cases() const {
        Words const keys{"--distribution", "uniform", "--keys", "1000"};
        auto const with = [](Words words, Words const& more) {
            words.insert(words.end(), more.begin(), more.end());
            return words;
        };
        std::string const copy = "cp {input} {output}";
        return {
            {"sort",
             with(keys, {"--values", "32"}),
             {"--output", "--output-values", "--record"},
             true,
             true},
            {"plan", keys, {}, true, true},
            {"generate", {"--keys", "1000"}, {"--output"}, true, true},
            {"check",
             {path("keys.csv"), path("sorted.csv"), "--type", "u32"},
             {"--junit"},
             true,
             true},
            {"verify", {path("run.trace")}, {"--junit"}, true, true},
            {"record",
             {"--command",
              copy,
              "--distribution",
              "zero",
              "--keys",
              "10",
              "--folder",
              path("record")},
             {"--record", "--junit"},
             true,
             true},
            {"distributions", {}, {}, true, true},
            {"algorithms", {}, {}, true, true},
            {"multisplit",
             with(keys, {"--buckets", "4"}),
             {"--output", "--starts", "--record"},
             true,
             true},
            {"histogram",
             with(keys, {"--bins", "4", "--range", "0:1000000"}),
             {"--record"},
             true,
             true},
            {"sssp", {"--graph", "grid:4"}, {"--record"}, true, true},
            {"simulate", {"--keys", "1e6"}, {"--trace"}, true, true},
            {"whatif", {"--keys", "1e6", "--gpus", "0,1"}, {"--csv"}, true, true},
            {"topology list", {}, {}, true, true},
            {"topology show", {"ac922"}, {}, true, true},
            {"topology draw", {"ac922"}, {"--dot"}, true, false},
            {"topology import", {path("topo.txt"), "--gpu", "A100"}, {"--output"}, true, false},
            {"topology here", {}, {"--output"}, true, false},
            {"topology export", {"ac922"}, {"--output"}, true, false},
            {"calibrate",
             {path("runs.csv"), "--platform", "dgx-a100", "--rounds", "1"},
             {"--output", "--output-platform"},
             true,
             false},
            {"validate", {path("runs.csv"), "--platform", "dgx-a100"}, {}, true, true},
            {"report", {path("run.trace")}, {"--output", "--matrix"}, false, true},
            {"bench-model",
             {"--streamed-keys", "0", "--replay-keys", "0", "--closed-form-keys", "1000"},
             {},
             true,
             false},
            {"bench-simulator", {"--gpu-count", "2", "--tolerance", "0"}, {}, true, true},
            {"completion", {"bash"}, {}, true, false},
            {"man", {}, {}, true, false},
        };
    }

    [[nodiscard]] static Words words_of(OutputCase const& one, Words const& more) {
        Words words;
        for (std::size_t begin = 0; begin < one.command.size();) {
            std::size_t const end = std::min(one.command.find(' ', begin), one.command.size());
            words.push_back(one.command.substr(begin, end - begin));
            begin = end + 1;
        }
        words.insert(words.end(), one.arguments.begin(), one.arguments.end());
        words.insert(words.end(), more.begin(), more.end());
        return words;
    }

  private:
    static std::string
    measured(std::string const& keys, std::string const& phases, std::string const& total) {
        return "NVIDIA A100-SXM4-40GB,8,radix-mgpu-sort," + keys +
               ",0,128,uint32,uniform,0,1,82,1,128,128,0,\"" + phases + "\"," + total + "\n";
    }
};

/// Redirects standard output to a device during its lifetime.
class StandardOutputTo {
  public:
    explicit StandardOutputTo(char const* device) {
        std::fflush(stdout);
        saved_ = ::dup(STDOUT_FILENO);
        int const opened = ::open(device, O_WRONLY);
        ::dup2(opened, STDOUT_FILENO);
        ::close(opened);
    }
    StandardOutputTo(StandardOutputTo const&) = delete;
    StandardOutputTo& operator=(StandardOutputTo const&) = delete;
    ~StandardOutputTo() {
        ::__fpurge(stdout); // discards unwritten output, which would be written again
        ::dup2(saved_, STDOUT_FILENO);
        ::close(saved_);
    }

  private:
    int saved_ = -1;
};

ExitCode run_onto_full_device(Words const& arguments) {
    std::vector<char const*> pointers{"keyswap"};
    for (std::string const& argument : arguments) {
        pointers.push_back(argument.c_str());
    }
    StandardOutputTo const redirected(full_device);
    return run(static_cast<int>(pointers.size()), pointers.data());
}

bool has_full_device() {
    return ::access(full_device, W_OK) == 0;
}

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
                std::string const file = path("{part}" + option + ending);
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

TEST_F(CommandOutputs, WhatCannotBePrintedIsExitStatusTwo) {
    if (!has_full_device()) {
        GTEST_SKIP() << "there is no " << full_device;
    }
    for (OutputCase const& one : cases()) {
        if (one.text) {
            EXPECT_EQ(run_onto_full_device(words_of(one, {})), ExitCode::could_not_run)
                << one.command;
        }
        if (one.json) {
            EXPECT_EQ(run_onto_full_device(words_of(one, {"--json"})), ExitCode::could_not_run)
                << one.command;
        }
    }
    EXPECT_EQ(run_onto_full_device({"whatif", "--keys", "1e5", "--gpus", "0,1", "--csv", "-"}),
              ExitCode::could_not_run);
    EXPECT_EQ(run_onto_full_device({"--help"}), ExitCode::could_not_run);
    EXPECT_EQ(run_onto_full_device({"--version"}), ExitCode::could_not_run);
}

TEST_F(CommandOutputs, AFileIsKeptIfTheReportOfItCannotBePrinted) {
    if (!has_full_device()) {
        GTEST_SKIP() << "there is no " << full_device;
    }
    std::vector<OutputCase> all = cases();
    all.push_back({"sort", {path("keys.csv"), "--type", "u32", "--memory", "16M"}, {"--output"}});
    for (OutputCase const& one : all) {
        for (std::string const& option : one.outputs) {
            std::string const shown = one.command + ' ' + option;
            Words const words = words_of(one, {option, path("made"), "--force"});
            ASSERT_NE(run_program(words).code, ExitCode::could_not_run) << shown;
            auto const size = text("made").size();
            std::filesystem::remove(path("made"));
            static_cast<void>(run_onto_full_device(words)); // some print nothing: any status
            ASSERT_TRUE(std::filesystem::exists(path("made"))) << shown;
            EXPECT_NEAR(static_cast<double>(text("made").size()), static_cast<double>(size), 64)
                << shown; // times differ in length
            std::filesystem::remove(path("made"));
        }
    }
}

TEST_F(CommandOutputs, WhatCannotBeWrittenToAFileIsExitStatusTwo) {
    if (!has_full_device()) {
        GTEST_SKIP() << "there is no " << full_device;
    }
    for (OutputCase const& one : cases()) {
        for (std::string const& option : one.outputs) {
            auto const outcome = run_program(words_of(one, {option, full_device}));
            EXPECT_EQ(outcome.code, ExitCode::could_not_run) << one.command << ' ' << option;
            EXPECT_NE(outcome.errors.find(full_device), std::string::npos)
                << one.command << ' ' << option << ": " << outcome.errors;
        }
    }
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

/// Makes standard input a pipe that delivers a text.
class StandardInputFrom {
  public:
    explicit StandardInputFrom(std::string const& text) : saved_(::dup(STDIN_FILENO)) {
        std::array<int, 2> ends{};
        EXPECT_EQ(::pipe(ends.data()), 0);
        EXPECT_EQ(::write(ends[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
        ::close(ends[1]);
        ::dup2(ends[0], STDIN_FILENO);
        ::close(ends[0]);
    }
    StandardInputFrom(StandardInputFrom const&) = delete;
    StandardInputFrom& operator=(StandardInputFrom const&) = delete;
    ~StandardInputFrom() {
        ::dup2(saved_, STDIN_FILENO);
        ::close(saved_);
    }

  private:
    int saved_ = -1;
};

TEST_F(CommandOutputs, ADashIsStandardInput) {
    for (auto const& [name, words] : std::vector<std::pair<std::string, Words>>{
             {"keys.csv", {"sort", "-", "--format", "csv", "--type", "u32", "--gpu-count", "2"}},
             {"keys.csv", {"plan", "-", "--format", "csv", "--type", "u32", "--gpu-count", "2"}},
             {"sorted.csv", {"check", path("keys.csv"), "-", "--format", "csv", "--type", "u32"}},
             {"run.trace", {"verify", "-"}},
             {"runs.csv", {"validate", "-", "--platform", "dgx-a100"}},
             {"topo.txt", {"topology", "import", "-", "--gpu", "A100"}},
             {"run.trace", {"report", "-", "--matrix", "-"}}}) {
        StandardInputFrom const piped(text(name));
        auto const outcome = run_program(words);
        EXPECT_EQ(outcome.code, ExitCode::fine) << words[0] << outcome.errors;
    }
    StandardInputFrom const piped("no trace\n");
    auto const outcome = run_line("verify -");
    EXPECT_EQ(outcome.code, ExitCode::could_not_run);
    EXPECT_NE(outcome.errors.find("standard input"), std::string::npos) << outcome.errors;
}

TEST_F(CommandOutputs, CompressedKeysComeThroughStandardInputToo) {
    for (std::string const ending : {".gz", ".zst"}) {
        auto sink = create_bytes(path("sorted" + ending));
        ASSERT_TRUE(sink && (*sink)->write(text("sorted.csv")) && (*sink)->finish());
        StandardInputFrom const piped(text("sorted" + ending));
        auto const outcome = run_line("check @keys.csv - --format csv --type u32");
        EXPECT_EQ(outcome.code, ExitCode::fine) << ending << outcome.errors;
        EXPECT_TRUE(outcome.output.starts_with("check: standard input against ")) << outcome.output;
    }
}

/// Used twice, it would be compared with itself; closed, it would look like an empty file.
TEST_F(CommandOutputs, StandardInputIsOneFileAndHasToBeThere) {
    StandardInputFrom const piped(text("sorted.csv"));
    auto const twice = run_line("check - - --format csv --type u32");
    EXPECT_EQ(twice.code, ExitCode::could_not_run);
    EXPECT_NE(twice.errors.find("'-': is named 2 times, but standard input can be read only once"),
              std::string::npos)
        << twice.errors;
    // Tests the function alone: in this process, the output would get descriptor 0.
    ::close(STDIN_FILENO);
    forget_standard_input();
    auto const closed = readable_path("-");
    ASSERT_FALSE(closed.has_value());
    EXPECT_EQ(closed.error().subject + " " + closed.error().problem, "standard input is closed");
}

TEST_F(CommandOutputs, JsonNamesCommandVersionAndConfiguration) {
    for (OutputCase const& one : cases()) {
        if (!one.json) {
            continue;
        }
        auto const outcome = run_program(words_of(one, {"--json"}));
        EXPECT_NE(outcome.code, ExitCode::could_not_run) << one.command << outcome.errors;
        Json const json = Json::parse(outcome.output, nullptr, false);
        ASSERT_TRUE(json.is_object()) << one.command << outcome.output;
        EXPECT_EQ(json.value("command", ""), one.command);
        EXPECT_FALSE(json.value("version", "").empty()) << one.command;
        EXPECT_TRUE(json.contains("config") && json["config"].is_object()) << one.command;
    }
}

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

// With --json, other files are named on standard error or not at all.
TEST_F(CommandOutputs, JsonIsAllThatIsPrintedThoughFilesAreWrittenToo) {
    for (OutputCase const& one : cases()) {
        Words words = words_of(one, {"--json"});
        for (std::string const& output : one.outputs) {
            words.insert(words.end(), {output, path(one.command + output)});
        }
        if (one.json) {
            auto const outcome = run_program(words);
            EXPECT_NE(outcome.code, ExitCode::could_not_run) << one.command << outcome.errors;
            EXPECT_TRUE(Json::accept(outcome.output)) << one.command << ": " << outcome.output;
        }
    }
}

/// Calls `visit(name, value)` for every member of every object, recursively.
template <class Visit>
void visit_members(Json const& json, Visit const& visit) {
    for (auto const& [name, value] : json.items()) {
        if (json.is_object()) {
            visit(name, value);
        }
        if (value.is_structured()) {
            visit_members(value, visit);
        }
    }
}

TEST_F(CommandOutputs, HashesAreStringsOfSixteenDigitsOrThirtyTwo) {
    for (OutputCase const& one : cases()) {
        if (!one.json) {
            continue;
        }
        Json const json =
            Json::parse(run_program(words_of(one, {"--json"})).output, nullptr, false);
        visit_members(json, [&one](std::string const& name, Json const& value) {
            if (name == "hash" || name.ends_with("_hash")) {
                ASSERT_TRUE(value.is_string()) << one.command << ' ' << name;
                std::string const digits = value.get<std::string>();
                EXPECT_TRUE(digits.size() == 16 || digits.size() == 32) << one.command << digits;
                EXPECT_EQ(digits.find_first_not_of("0123456789abcdef"), std::string::npos);
            }
        });
    }
}

} // namespace
} // namespace keyswap::tools
