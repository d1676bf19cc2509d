#include "tools/record/process/parallel_runs.hpp"
#include "tools/record/process/process_tree.hpp"
#include "tools/record/third_party_run.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <iostream>
#include <map>
#include <set>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace keyswap::conformance {
namespace {

using namespace std::string_literals;

/// Runs tasks [0, count) and returns their results; "died" if the worker died.
std::map<std::uint64_t, std::string>
results_of(unsigned jobs,
           std::uint64_t count,
           std::function<std::string(unsigned, std::uint64_t)> const& run) {
    std::map<std::uint64_t, std::string> results;
    std::uint64_t given = 0;
    ParallelRuns const runs{[&] { return given == count ? std::nullopt : std::optional(given++); },
                            run,
                            [&](std::uint64_t task, std::optional<std::string> const& result) {
                                EXPECT_TRUE(results.emplace(task, result.value_or("died")).second)
                                    << "twice " << task;
                            }};
    auto const done = run_in_processes(jobs, runs);
    EXPECT_TRUE(done) << done.error().message();
    return results;
}

TEST(ParallelRuns, EachTaskIsDoneOnceForAnyNumberOfProcesses) {
    for (unsigned const jobs : {1U, 2U, 5U}) {
        for (std::uint64_t const count : {0U, 1U, 4U, 23U}) {
            auto const results = results_of(jobs, count, [](unsigned, std::uint64_t task) {
                return std::string(task * 10'000, 'x') +
                       std::to_string(task); // exceeds a pipe's capacity
            });
            ASSERT_EQ(results.size(), count);
            EXPECT_TRUE(child_processes().empty()); // no zombies either
            for (auto const& [task, text] : results) {
                EXPECT_EQ(text.size(), task * 10'000 + std::to_string(task).size());
                EXPECT_TRUE(text.ends_with(std::to_string(task)));
            }
        }
    }
}

TEST(ParallelRuns, GoOnAtTheSameTime) {
    // Task 0 ends only after task 1 has begun: their processes meet at a pipe.
    std::array<int, 2> ends{};
    ASSERT_EQ(::pipe(ends.data()), 0);
    auto const results = results_of(2, 2, [&](unsigned, std::uint64_t task) {
        char byte = '!';
        return (task == 0 ? ::read(ends[0], &byte, 1) : ::write(ends[1], &byte, 1)) == 1 ? "met"s
                                                                                         : "not"s;
    });
    EXPECT_EQ(results, (std::map<std::uint64_t, std::string>{{0, "met"}, {1, "met"}}));
    ::close(ends[0]);
    ::close(ends[1]);
}

TEST(ParallelRuns, OnePerProcessAtATime) {
    std::set<std::string> processes;
    for (auto const& [task, number] : results_of(
             3, 40, [](unsigned process, std::uint64_t) { return std::to_string(process); })) {
        processes.insert(number);
    }
    EXPECT_LE(processes.size(), 3U);
    EXPECT_LT(*processes.rbegin(), "3");
}

TEST(ParallelRuns, SurvivesAWorkerCrash) {
    for (unsigned const jobs : {1U, 3U}) {
        auto const results = results_of(jobs, 9, [](unsigned, std::uint64_t task) {
            if (task % 4 == 2) {
                ::raise(SIGKILL);
            }
            return std::to_string(task);
        });
        ASSERT_EQ(results.size(), 9U);
        for (auto const& [task, text] : results) {
            EXPECT_EQ(text, task % 4 == 2 ? "died" : std::to_string(task));
        }
    }
}

TEST(ParallelRuns, SayThatNoProcessCanBeStarted) {
    pid_t const limited = ::fork();
    if (limited == 0) {
        std::cout.flush();       // the sanitizer needs descriptors for its first type look-up
        rlimit const none{3, 3}; // descriptor limit: no socket possible
        ::setrlimit(RLIMIT_NOFILE, &none);
        std::uint64_t given = 0;
        auto const done =
            run_in_processes(2,
                             {[&] { return given == 1 ? std::nullopt : std::optional(given++); },
                              [](unsigned, std::uint64_t) { return ""s; },
                              [](std::uint64_t, std::optional<std::string> const&) {}});
        ::_exit(!done && done.error().problem.starts_with("cannot start a process: ") ? 0 : 1);
    }
    int status = 0;
    ::waitpid(limited, &status, 0);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

TEST(EncodedRun, ComesBackAsItWas) {
    ThirdPartyRun run;
    run.seed = ~std::uint64_t{0};
    run.end = {ChildEnd::out_of_bounds,
               "wrote past the end",
               "its last\0 words\xff"s,
               3,
               std::chrono::nanoseconds(123'456'789'012)};
    run.sentences = {"one", "", "three"};
    run.verdicts = {{"sorted", true, ""}, {"permutation", false, "keys were lost"}};
    run.input = "/tmp/a b";
    auto const back = decoded_run(encoded(run));
    ASSERT_TRUE(back);
    EXPECT_EQ(back->seed, run.seed);
    EXPECT_EQ(back->end.end, run.end.end);
    EXPECT_EQ(back->end.detail, run.end.detail);
    EXPECT_EQ(back->end.output_tail, run.end.output_tail);
    EXPECT_EQ(back->end.left_running, run.end.left_running);
    EXPECT_EQ(back->end.duration, run.end.duration);
    EXPECT_EQ(back->sentences, run.sentences);
    EXPECT_EQ(back->verdicts, run.verdicts);
    EXPECT_EQ(back->input, run.input);
    EXPECT_EQ(back->output, run.output);

    InputError const error{"record", "no process", "end others"};
    auto const refused = decoded_run(encoded(tl::unexpected(error)));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(), error.message());
}

} // namespace
} // namespace keyswap::conformance
