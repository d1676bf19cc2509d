/// \file Supervised processes: their environment, the report of their end, and the absence of
/// leftovers.

#include "tools/record/process/deferred_signals.hpp"
#include "tools/record/process/process_tree.hpp"
#include "tools/record/process/supervised_process.hpp"
#include "tools/record/third_party_call.hpp"
#include "tools/record/third_party_sort.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <iterator>
#include <set>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <unistd.h>

namespace keyswap::conformance {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;

ProcessResult outcome_of(std::string const& command, std::chrono::milliseconds timeout = 60s) {
    auto const outcome = run_command(command, timeout, {});
    EXPECT_TRUE(outcome.has_value()) << outcome.error().message();
    return *outcome;
}

/// Open file descriptors of this process.
std::set<int> descriptors() {
    std::set<int> numbers;
    for (auto const& entry : fs::directory_iterator("/proc/self/fd")) {
        numbers.insert(std::stoi(entry.path().filename().string()));
    }
    std::erase_if(numbers, [](int number) { return ::fcntl(number, F_GETFD) == -1; });
    return numbers;
}

TEST(SupervisedProcess, HasNoDescriptorsOfKeyswap) {
    auto known = descriptors();
    known.insert({STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
    auto const outcome =
        outcome_of("for f in /proc/$$/fd/*; do [ -e $f ] && echo ${f##*/}; done; true");
    std::istringstream words(outcome.output_tail);
    std::set<int> const found{std::istream_iterator<int>(words), std::istream_iterator<int>()};
    EXPECT_GE(found.size(), 3U);
    EXPECT_TRUE(std::ranges::includes(known, found)) << outcome.output_tail;
}

/// Number of mappings shared with child processes.
std::ptrdiff_t shared_mappings() {
    std::ifstream maps("/proc/self/maps");
    std::istream_iterator<std::string> const words(maps);
    return std::count(words, std::istream_iterator<std::string>(), "/dev/zero");
}

TEST(SupervisedProcess, LeavesNothingToKeyswap) {
    auto const before = descriptors();
    auto const mappings = shared_mappings();
    outcome_of("true");
    outcome_of("kill -9 $$");
    outcome_of("sleep 600", 10ms);
    outcome_of("no-such-program");
    EXPECT_EQ(descriptors(), before);
    EXPECT_EQ(shared_mappings(), mappings);
    EXPECT_TRUE(child_processes().empty());
}

TEST(SupervisedProcess, ReadsNothing) {
    EXPECT_EQ(outcome_of("wc -c").output_tail, "0\n");
}

/// For outputs shorter and longer than the kept part.
TEST(SupervisedProcess, LastWordsAreTheEndOfWhatItWrote) {
    constexpr std::size_t kept_bytes = 4096;
    for (std::size_t const size : {0U, 1U, 4095U, 4096U, 4097U, 8192U, 50'000U}) {
        std::string all;
        for (int number = 1; all.size() < size; ++number) {
            all += std::to_string(number) + '\n';
        }
        all.resize(size);
        auto const outcome = outcome_of("seq 1 99999 | head -c " + std::to_string(size));
        EXPECT_EQ(outcome.output_tail, all.substr(size - std::min(size, kept_bytes))) << size;
    }
    EXPECT_EQ(outcome_of("echo out; echo err >&2").output_tail, "out\nerr\n");
}

TEST(SupervisedProcess, ReportsHowItsProcessEnded) {
    struct Case {
        char const* command;
        ChildEnd end;
        std::string detail;
    };
    for (auto const& [command, end, detail] :
         {Case{"true", ChildEnd::returned, ""},
          Case{"exit 7", ChildEnd::refused, "exit status 7"},
          Case{"exit 125", ChildEnd::refused, "exit status 125"},
          Case{"exit 126", ChildEnd::not_started, "the command cannot be run: exit status 126"},
          Case{"exit 127", ChildEnd::not_started, "the command cannot be run: exit status 127"},
          Case{"exit 128", ChildEnd::refused, "exit status 128"},
          Case{"exit 137",
               ChildEnd::refused,
               "exit status 137, as of a program that a signal killed: Killed"},
          Case{"exit 255", ChildEnd::refused, "exit status 255"},
          Case{"kill -9 $$", ChildEnd::killed, "Killed"},
          Case{"kill -11 $$", ChildEnd::killed, "Segmentation fault"}}) {
        auto const outcome = outcome_of(command);
        EXPECT_EQ(outcome.end, end) << command;
        EXPECT_EQ(outcome.detail, detail) << command;
        EXPECT_EQ(outcome.left_running, 0U) << command;
    }
}

TEST(SupervisedProcess, IsGivenItsTimeAndNoMore) {
    auto const begin = std::chrono::steady_clock::now();
    auto const outcome = outcome_of("sleep 600", 300ms);
    EXPECT_EQ(outcome.end, ChildEnd::timed_out);
    EXPECT_EQ(outcome.detail, "after 300 ms");
    EXPECT_GE(outcome.duration, 300ms);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 20s);
    EXPECT_EQ(outcome_of("sleep 0.3", 30s).end, ChildEnd::returned);
}

/// A process that kills its supervisor is killed, and a request to stop in the meantime is
/// reported.
TEST(SupervisedProcess, MayKillItsSupervisor) {
    for (bool const asked_to_stop : {false, true}) {
        pid_t const test = ::fork(); // so that it can be signalled
        if (test == 0) {
            DeferredSignals const held;
            pid_t const keyswap = ::getpid();
            auto const end = run_supervised(
                [&] {
                    if (asked_to_stop) {
                        ::kill(keyswap, SIGTERM);
                    }
                    ::kill(::getppid(), SIGKILL);
                    ::pause();
                    return 0;
                },
                60s,
                {});
            using How = SupervisedEnd::How;
            bool const right = end && end->all_ended &&
                               end->how == (asked_to_stop ? How::interrupted : How::unknown);
            ::_exit(right ? 0 : 1);
        }
        int status = 0;
        ::waitpid(test, &status, 0);
        EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << asked_to_stop;
    }
}

/// A child that runs until killed, or ends at once.
pid_t start_child(bool lives) {
    pid_t const child = ::fork();
    if (child == 0) {
        ::setpgid(0, 0); // otherwise it is in the test's group
        if (lives) {
            ::pause();
        }
        ::_exit(0);
    }
    ::setpgid(child, child);
    if (!lives) { // waits for the end without reaping
        siginfo_t ignored{};
        ::waitid(P_PID, static_cast<id_t>(child), &ignored, WEXITED | WNOWAIT);
    }
    return child;
}

TEST(ProcessTree, EndedChildrenAreNoRunningOnes) {
    Subreaper const reaper;
    for (std::size_t const ended : {0U, 1U, 2U}) {
        for (std::size_t const living : {0U, 1U, 3U}) {
            for (std::size_t i = 0; i < ended + living; ++i) {
                start_child(i >= ended);
            }
            EXPECT_EQ(child_processes().size(), ended + living);
            EndedProcesses const result = end_descendants({}, 20s);
            EXPECT_EQ(result.running, living);
            EXPECT_TRUE(result.complete);
            EXPECT_TRUE(child_processes().empty());
        }
    }
}

TEST(ProcessTree, SparedChildrenLive) {
    Subreaper const reaper;
    pid_t const spared = start_child(true);
    start_child(true);
    EndedProcesses const result = end_descendants(std::span(&spared, 1), 20s);
    EXPECT_EQ(result.running, 1U);
    EXPECT_TRUE(result.complete);
    EXPECT_EQ(child_processes(), std::vector{spared});
    EXPECT_EQ(::waitpid(spared, nullptr, WNOHANG), 0); // still running
    EXPECT_EQ(end_descendants({}, 20s).running, 1U);
}

TEST(ProcessTree, ADaemonIsAdoptedAndEnded) {
    Subreaper const reaper;
    pid_t const parent = ::fork();
    if (parent == 0) {
        start_child(true);
        ::_exit(0);
    }
    ::waitpid(parent, nullptr, 0);
    EndedProcesses const result = end_descendants({}, 20s);
    EXPECT_EQ(result.running, 1U);
    EXPECT_TRUE(child_processes().empty());
}

} // namespace
} // namespace keyswap::conformance
