/// \file Interruption of `keyswap record` from outside, and two concurrent calls.

#include "tools/testing/program_process.hpp"

#include <filesystem>
#include <gtest/gtest.h>
#include <string>
#include <vector>

namespace keyswap {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using testing::ProgramProcess;
using testing::TemporaryFolder;
using namespace std::chrono_literals;

constexpr auto patience = 60s;

Words const endless_command{"--command",
                            "setsid sleep 600 & touch {output}; sleep 600 | sleep 600 # {input}"};
Words const endless_library{
    "--library", KEYSWAP_EXAMPLES "/subjects.so", "--function", "spins_deaf"};
Words const copying{"--command", "cp {input} {output}", "--distribution", "sorted"};

class EndingOfRecord : public ::testing::Test {
  protected:
    /// Programs keep signals ignored that their caller ignores, as nohup and shells running
    /// background jobs may do for these tests.
    EndingOfRecord() {
        for (int const number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT}) {
            ::signal(number, SIG_DFL);
        }
    }
    [[nodiscard]] Words arguments(Words const& subject, Words const& options = {}) const {
        Words words{"record", "--keys", "5000", "--folder", records().string()};
        words.insert(words.end(), subject.begin(), subject.end());
        words.insert(words.end(), options.begin(), options.end());
        return words;
    }
    [[nodiscard]] fs::path records() const { return folder_ / "records"; }
    /// Entries of the folder of records, sorted.
    [[nodiscard]] Words recorded_files() const {
        Words names;
        if (fs::exists(records())) {
            for (auto const& entry : fs::directory_iterator(records())) {
                names.push_back(entry.path().filename().string());
            }
        }
        std::ranges::sort(names);
        return names;
    }

    /// Starts a run, signals it while the subject's processes run, and checks that nothing is left.
    void end_by(int signal, Words const& subject, std::size_t processes_min) const {
        ProgramProcess program(folder_.path(), arguments(subject));
        auto const deadline = std::chrono::steady_clock::now() + patience;
        // Counted once per check, since a shell's short-lived processes come and go.
        std::size_t processes = program.processes().size();
        while (processes < processes_min && std::chrono::steady_clock::now() < deadline) {
            std::this_thread::sleep_for(10ms);
            processes = program.processes().size();
        }
        ASSERT_GE(processes, processes_min) << program.errors();
        program.signal(signal);
        auto const status = program.wait(patience);
        ASSERT_TRUE(status.has_value()) << "still runs";
        EXPECT_TRUE(WIFSIGNALED(*status));
        EXPECT_EQ(WTERMSIG(*status), signal);
        // After SIGKILL, the supervisor ends on its own, later than Keyswap.
        EXPECT_EQ(program.processes_left(signal == SIGKILL ? 30s : 0s), Words{});
        EXPECT_EQ(recorded_files(), Words{});
        if (signal != SIGKILL) { // SIGKILL leaves an empty folder
            EXPECT_FALSE(fs::exists(records()));
        }
    }

    TemporaryFolder folder_;
};

// Keyswap, its supervisor, the shell, and three `sleep` processes.
TEST_F(EndingOfRecord, ByCtrlCEndsACommandsProcesses) {
    end_by(SIGINT, endless_command, 6);
}
TEST_F(EndingOfRecord, BySignalsEndsAllOfSeveralRuns) {
    Words several = endless_command;
    several.insert(several.end(), {"--jobs", "3", "--runs", "9"});
    for (int const signal : {SIGINT, SIGTERM, SIGKILL}) {
        end_by(signal, several, 16); // Keyswap, and five processes for each of three runs
    }
}
TEST_F(EndingOfRecord, ByATerminationEndsACommandsProcesses) {
    end_by(SIGTERM, endless_command, 6);
}
TEST_F(EndingOfRecord, ByAHangUpEndsACommandsProcesses) {
    end_by(SIGHUP, endless_command, 6);
}
TEST_F(EndingOfRecord, ByAKillEndsACommandsProcesses) {
    end_by(SIGKILL, endless_command, 6);
}
TEST_F(EndingOfRecord, ByCtrlCEndsALibrarysProcess) {
    end_by(SIGINT, endless_library, 3);
}
TEST_F(EndingOfRecord, ByAKillEndsALibrarysProcess) {
    end_by(SIGKILL, endless_library, 3);
}

TEST_F(EndingOfRecord, ByCtrlCReportsWhatWasFoundSoFar) {
    std::string const counter = (folder_ / "runs").string();
    Words const failing{"--command",
                        "echo >> " + counter + "; [ $(wc -l < " + counter +
                            ") -lt 4 ] || sleep 600 # {input} {output}"};
    ProgramProcess program(folder_.path(), arguments(failing, {"--runs", "100"}));
    auto const deadline = std::chrono::steady_clock::now() + patience;
    while (testing::text_of(counter).size() < 4 && std::chrono::steady_clock::now() < deadline) {
        std::this_thread::sleep_for(10ms);
    }
    program.signal(SIGINT);
    auto const status = program.wait(patience);
    ASSERT_TRUE(status.has_value());
    EXPECT_TRUE(WIFSIGNALED(*status));
    EXPECT_NE(program.output().find("3 of 3 runs failed"), std::string::npos) << program.output();
    EXPECT_NE(program.errors().find("interrupted after 3 of 100 runs"), std::string::npos);
}

TEST_F(EndingOfRecord, IgnoresASignalThatItsCallerIgnores) {
    ::signal(SIGHUP, SIG_IGN); // as by nohup
    ProgramProcess program(
        folder_.path(),
        arguments({"--command", "sleep 0.3; cp {input} {output}", "--distribution", "sorted"}));
    ::signal(SIGHUP, SIG_DFL);
    std::this_thread::sleep_for(100ms);
    program.signal(SIGHUP);
    auto const status = program.wait(patience);
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(*status, 0) << program.errors();
}

TEST_F(EndingOfRecord, TwoInOneFolderDoNotMeet) {
    TemporaryFolder const other;
    Words const many{"--runs", "30"};
    ProgramProcess right(folder_.path(), arguments(copying, many));
    ProgramProcess wrong(other.path(), arguments({"--command", "true # {input} {output}"}, many));
    ASSERT_EQ(right.wait(patience).value_or(-1), 0) << right.output() << right.errors();
    ASSERT_TRUE(wrong.wait(patience).has_value());
    EXPECT_NE(wrong.output().find("30 of 30 runs failed"), std::string::npos) << wrong.output();
}

TEST_F(EndingOfRecord, LeavesTheUsersFilesInItsFolder) {
    fs::create_directories(records());
    testing::put_text(records() / "input.raw", "mine");
    testing::put_text(records() / "output.raw", "mine");
    ProgramProcess program(folder_.path(), arguments(copying));
    EXPECT_EQ(program.wait(patience).value_or(-1), 0) << program.errors();
    EXPECT_EQ(testing::text_of(records() / "input.raw"), "mine");
    EXPECT_EQ(testing::text_of(records() / "output.raw"), "mine");
    EXPECT_EQ(recorded_files(), (Words{"input.raw", "output.raw"}));
}

TEST_F(EndingOfRecord, NoNameOfAFolderIsTakenForACommand) {
    for (std::string const name : {"o'brien",
                                   "a'; touch pwned; '",
                                   "a{input}b{output}",
                                   "a \"$(touch pwned)\" \\ b",
                                   "-n",
                                   "\n*"}) {
        Words words = arguments(copying);
        words[4] = (folder_ / name).string();
        ProgramProcess program(folder_.path(), words);
        EXPECT_EQ(program.wait(patience).value_or(-1), 0)
            << name << program.output() << program.errors();
        EXPECT_FALSE(fs::exists(folder_ / "pwned")) << name;
        EXPECT_FALSE(fs::exists("pwned")) << name;
        EXPECT_FALSE(fs::exists(folder_ / name)) << name;
    }
}

TEST_F(EndingOfRecord, AFileOfKeysThatIsCutIsNoVerdict) {
    constexpr rlim_t too_few = 10'000; // bytes, but 5,000 keys need more
    ProgramProcess program(folder_.path(), arguments(copying), {}, too_few);
    auto const status = program.wait(patience);
    ASSERT_TRUE(status.has_value());
    EXPECT_EQ(WEXITSTATUS(*status), 2) << program.output();
    EXPECT_NE(program.errors().find("input.raw: cannot be written"), std::string::npos)
        << program.errors();
    EXPECT_FALSE(fs::exists(records()));
}

} // namespace
} // namespace keyswap
