/// \file Output of `keyswap record` for misbehaving sorts, and that they leave nothing behind: no
/// process, no file except a failure's, no text in the program's output.

#include "tools/testing/program_process.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <ostream>
#include <string>
#include <vector>

namespace keyswap {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using Words = std::vector<std::string>;
using testing::ProgramProcess;
using testing::TemporaryFolder;

/// A sort and the expected report.
struct Subject {
    std::string name;
    std::string function; ///< in the library of subjects; empty: runs `command`
    std::string command;
    int exit_code = 1;
    std::string kind;   ///< of the failure; "" if there is none, or any
    std::string detail; ///< in the report; on standard error if nothing ran
    Words options{};
    Words environment{};
    int left_running = 0; ///< processes left behind
};

std::ostream& operator<<(std::ostream& out, Subject const& subject) {
    return out << subject.name;
}

/// Subject that calls a function of the library.
Subject library(std::string const& function,
                int exit_code,
                std::string kind = "",
                std::string detail = "",
                Words options = {}) {
    return {
        function, function, "", exit_code, std::move(kind), std::move(detail), std::move(options)};
}

Subject leaves(std::string const& function, int processes) {
    Subject subject = library(function, 0);
    subject.left_running = processes;
    return subject;
}

/// Subject that runs a command on sorted keys, so copying them is correct.
Subject command(std::string name,
                std::string text,
                int exit_code,
                std::string kind = "",
                std::string detail = "",
                Words options = {}) {
    options.insert(options.begin(), {"--distribution", "sorted"});
    return {std::move(name),
            "",
            std::move(text),
            exit_code,
            std::move(kind),
            std::move(detail),
            std::move(options)};
}

Subject leaves(std::string name, std::string text, int processes) {
    Subject subject = command(std::move(name), std::move(text), 0);
    subject.left_running = processes;
    return subject;
}

Subject while_loading(std::string name, std::string const& what, std::string detail) {
    Subject subject = library("right", 2, "", std::move(detail));
    subject.name = std::move(name);
    subject.environment = {"KEYSWAP_SUBJECT_LOADING=" + what};
    return subject;
}

Words const pairs{"--values", "32"};
Words const stable_pairs{"--values", "32", "--stable", "--distribution", "zipf"};
Words const short_time{"--timeout", "0.4"};

std::vector<Subject> const subjects{
    // Correct, despite side effects.
    library("right", 0),
    library("right_pairs", 0, "", "", stable_pairs),
    library("closes_all_files", 0),
    library("talks_much", 0),
    library("leaks", 0),
    library("leaves_per_thread", 0),
    library("leaves_a_spinning_thread", 0),
    leaves("leaves_a_child", 1),
    leaves("leaves_a_daemon", 1),
    leaves("leaves_a_chain", 1),
    library("returns_twice", 0),
    library("moves_away", 0),
    // Wrong outputs.
    library("does_nothing", 1, "not sorted"),
    library("clears", 1, "not permutation"),
    library("doubles_one", 1, "not permutation"),
    library("reverses", 1, "not sorted"),
    library("swaps_the_last_two", 1, "not sorted"),
    library("leaves_values", 1, "not pairs", "", pairs),
    library("unstable_pairs", 1, "not stable", "", stable_pairs),
    library("unmaps", 1, "not sorted"),
    // Ends other than a return of 0.
    library("returns_1", 1, "refused", "returned 1"),
    library("returns_120", 1, "refused", "returned 120"),
    library("returns_121", 1, "refused", "returned 121"),
    library("returns_256", 1, "refused", "returned 256"),
    library("returns_minus_1", 1, "refused", "returned -1"),
    library("exits_0", 1, "ended its process", "instead of returning"),
    library("exits_0_at_once", 1, "ended its process", "exit status 0"),
    library("exits_120", 1, "ended its process", "exit status 120"),
    library("becomes_true", 1, "ended its process", "exit status 0"),
    library("child_returns_and_it_dies", 1, "ended its process", "exit status 0"),
    library("leaves_by_its_thread", 1, "killed by a signal"),
    library("aborts", 1, "killed by a signal", "Aborted"),
    library("traps", 1, "killed by a signal"),
    library("writes_to_null", 1, "killed by a signal", "Segmentation fault"),
    library("kills_itself", 1, "killed by a signal", "Killed"),
    library("terminates_its_group", 1, "killed by a signal", "Terminated"),
    library("overflows_the_stack", 1, "killed by a signal", "Segmentation fault"),
    library("throws", 1, "refused", "threw: no buckets left"),
    library("throws_a_number", 1, "refused", "threw"),
    library("jumps_to_a_left_frame", 1, "", "", short_time),
    library("hangs", 1, "timed out", "after 400 ms", short_time),
    library("spins_deaf", 1, "timed out", "", short_time),
    library("leaves_a_daemon_that_sorts_late", 1), // killed before or after its sort
    library("stops", 1, "timed out", "", short_time),
    library("kills_its_parent", 1, "unknown", "the process that watches it"),
    // Accesses outside its memory.
    library("overruns_by_one", 1, "out of bounds", "wrote past the end of the keys"),
    library("overruns_far", 1, "out of bounds", "past the end of the keys: the guard page was hit"),
    library(
        "overruns_far_and_lifts_the_guard", 1, "out of bounds", "wrote past the end of the keys"),
    library("underruns_by_one", 1, "out of bounds", "wrote before the beginning of the keys"),
    library(
        "underruns_far", 1, "out of bounds", "before the beginning of the keys: the guard page"),
    library("reads_far", 1, "out of bounds", "past the end of the keys: the guard page was hit"),
    library("overruns_values", 1, "out of bounds", "wrote past the end of the values", pairs),
    library("overruns_and_hangs", 1, "out of bounds", "timed out", short_time),
    library("hides_its_crash", 1, "ended its process", "exit status 0"),
    // Nothing runnable.
    library("no_such_function", 2, "", "no_such_function"),
    while_loading("library_that_exits_while_it_is_loaded", "exit", "while it was loaded"),
    while_loading("library_that_dies_while_it_is_loaded", "crash", "cannot be loaded: Aborted"),
    command("missing_command", "no-such-program {input} {output}", 2, "", "cannot be run"),
    command("command_that_is_a_folder", "/tmp {input} {output}", 2, "", "cannot be run"),
    // Correct commands.
    command("copies", "cp {input} {output}", 0),
    command("copies_in_a_quoted_command", "sh -c 'cp {input} {output}'", 0),
    command("moves_its_input", "mv {input} {output}", 0),
    command("links_its_input", "ln {input} {output}", 0),
    command("empties_its_input_afterwards", "cp {input} {output}; : > {input}", 0),
    command("closes_its_output", "exec >&- 2>&-; cp {input} {output}", 0),
    command("prints_json", R"(echo '{"holds": false}'; cp {input} {output})", 0),
    command("leaves_folders_without_rights",
            "cp {input} {output}; d=$(dirname {output})/d; mkdir -p $d/e; chmod 0 $d/e $d",
            0),
    leaves("leaves_a_late_writer", "(sleep 60; : > {output}) & cp {input} {output}", 1),
    leaves("leaves_a_session", "setsid sleep 60 & cp {input} {output}; sleep 0.1", 1),
    leaves("leaves_many", "for i in 1 2 3 4 5 6 7 8 9; do sleep 60 & done; cp {input} {output}", 9),
    // Commands with wrong outputs.
    command("empties_both_files", ": > {input}; : > {output}", 1, "not permutation"),
    command("empties_its_input", ": > {input}; cp {input} {output}", 1, "not permutation"),
    command("replaces_both_files",
            "head -c 20000 /dev/zero > {input}; cp {input} {output}",
            1,
            "not permutation"),
    command("writes_nothing", "true", 1, "not output", "was not written"),
    command("writes_into_the_input", "cat {input} {input} > {output}.new", 1, "not output"),
    command("takes_standard_input", "cat > {output}", 1, "not permutation", "the output has 0"),
    command("cuts_a_key",
            "head -c 19998 {input} > {output}",
            1,
            "not output",
            "not a whole number of keys"),
    command("loses_a_key", "head -c 19996 {input} > {output}", 1, "not permutation"),
    command("doubles_all", "cat {input} {input} > {output}", 1, "not permutation"),
    command("writes_a_terabyte", "truncate -s 1T {output}", 1, "not permutation"),
    command("makes_a_pipe", "mkfifo {output}", 1, "not output", "not a regular file"),
    command("links_to_zeros", "ln -s /dev/zero {output}", 1, "not output", "not a regular file"),
    command("links_softly", "ln -s {input} {output}", 1, "not output", "not a regular file"),
    command("makes_a_folder", "mkdir {output}", 1, "not output", "not a regular file"),
    command("removes_its_folder", "rm -rf $(dirname {output})", 1, "not output"),
    command("removes_all_folders", "rm -rf $(dirname $(dirname {output}))", 1, "not output"),
    // Commands with other ends.
    command("fails", "cp {input} {output}; exit 3", 1, "refused", "exit status 3"),
    command("fails_with_120", "exit 120", 1, "refused", "exit status 120"),
    command("fails_with_121", "exit 121", 1, "refused", "exit status 121"),
    command("fails_with_122", "exit 122", 1, "refused", "exit status 122"),
    command("is_no_shell_command", "if (", 1, "refused", "exit status 2"),
    command("has_a_part_killed", "sh -c 'kill -9 $$'; exit $?", 1, "refused", "Killed"),
    command("kills_its_shell", "kill -9 $$", 1, "killed by a signal", "Killed"),
    command("sleeps", "sleep 60 | sleep 60", 1, "timed out", "", short_time),
    command("ignores_signals",
            "trap '' INT TERM HUP; while :; do sleep 60; done",
            1,
            "timed out",
            "",
            short_time),
    command("talks_without_end", "yes", 1, "timed out", "", short_time),
    command("kills_its_supervisor", "kill -9 $PPID; sleep 60", 1, "unknown"),
};

/// Names unused files in a shell comment, since `record` requires both.
std::string with_both_files(std::string text) {
    for (char const* const file : {"{input}", "{output}"}) {
        if (text.find(file) == std::string::npos) {
            text += std::string(" # ") + file;
        }
    }
    return text;
}

class ThirdPartySubjects : public ::testing::TestWithParam<Subject> {
  protected:
    /// Command line for the subject.
    [[nodiscard]] Words arguments(Subject const& subject) const {
        Words words{"record", "--json", "--keys", "5000", "--folder", records().string()};
        if (subject.function.empty()) {
            words.insert(words.end(), {"--command", with_both_files(subject.command)});
        } else {
            words.insert(
                words.end(),
                {"--library", KEYSWAP_EXAMPLES "/subjects.so", "--function", subject.function});
        }
        words.insert(words.end(), subject.options.begin(), subject.options.end());
        return words;
    }
    [[nodiscard]] fs::path records() const { return folder_ / "records"; }
    /// Names of all files below the folder of records.
    [[nodiscard]] Words kept_files() const {
        Words names;
        if (fs::exists(records())) {
            for (auto const& entry : fs::recursive_directory_iterator(records())) {
                if (!entry.is_directory()) {
                    names.push_back(entry.path().filename().string());
                }
            }
        }
        std::ranges::sort(names);
        return names;
    }

    TemporaryFolder folder_;
};

void expect_failure(Subject const& subject, Json const& document, Words const& kept) {
    EXPECT_EQ(document["failures"], 1) << document;
    if (!subject.kind.empty()) {
        EXPECT_TRUE(document["kinds"].contains(subject.kind)) << document;
    }
    Json const& first = document["first_failure"];
    EXPECT_NE(first.dump().find(subject.detail), std::string::npos) << document;
    EXPECT_TRUE(fs::exists(first["input"].get<std::string>())) << document;
    for (std::string const property : {"pairs", "stable"}) { // one sentence per violated property
        bool const is_reported =
            first["sentences"].dump().find("Not " + property) != std::string::npos;
        bool const fails =
            document["kinds"].begin().key().find("not " + property) != std::string::npos;
        EXPECT_EQ(is_reported, fails) << document;
    }
    for (std::string const& name : kept) {
        EXPECT_TRUE(name == "seed-1-input.raw" || name == "seed-1-output.raw") << name;
    }
}

TEST_P(ThirdPartySubjects, IsReportedAndLeavesNothing) {
    Subject const& subject = GetParam();
    ProgramProcess program(folder_.path(), arguments(subject), subject.environment);
    auto const status = program.wait(std::chrono::seconds(60));
    ASSERT_TRUE(status.has_value()) << "still runs";
    EXPECT_EQ(program.processes(), Words{});
    ASSERT_TRUE(WIFEXITED(*status)) << WTERMSIG(*status);
    EXPECT_EQ(WEXITSTATUS(*status), subject.exit_code) << program.errors();
    if (subject.exit_code == 2) {
        EXPECT_EQ(program.output(), "");
        EXPECT_NE(program.errors().find(subject.detail), std::string::npos) << program.errors();
        EXPECT_FALSE(fs::exists(records()));
        return;
    }
    EXPECT_EQ(program.errors(), "");
    Json const document = Json::parse(program.output(), nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << program.output();
    EXPECT_EQ(document["holds"], subject.exit_code == 0);
    if (subject.exit_code == 0) {
        EXPECT_GE(document["left_running"], subject.left_running);
        EXPECT_FALSE(fs::exists(records()));
    } else {
        expect_failure(subject, document, kept_files());
    }
}

INSTANTIATE_TEST_SUITE_P(
    Of, ThirdPartySubjects, ::testing::ValuesIn(subjects), [](auto const& given) {
        Subject const& subject = given.param;
        return (subject.function.empty() ? "Command_" : "Library_") + subject.name;
    });

} // namespace
} // namespace keyswap
