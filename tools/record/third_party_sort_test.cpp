#include "tools/record/third_party_check.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace keyswap::conformance {
namespace {

namespace fs = std::filesystem;

class ThirdPartySorts : public ::testing::Test {
  protected:
    [[nodiscard]] ThirdPartyRuns runs_of(std::string const& example) const {
        ThirdPartyRuns runs;
        runs.library = fs::path(KEYSWAP_EXAMPLES) / (example + ".so");
        runs.keys.key_count = 20'000;
        runs.folder = folder_.path();
        return runs;
    }

    testing::TemporaryFolder folder_;
};

TEST_F(ThirdPartySorts, OfTheStandardLibraryAndTbbAreRight) {
    for (std::string const example : {"std_sort", "parallel_mode_sort", "tbb_sort"}) {
        ThirdPartyRuns runs = runs_of(example);
        runs.run_count = 5;
        auto const report = run_third_party_sort(runs);
        ASSERT_TRUE(report.has_value()) << report.error().message();
        EXPECT_EQ(report->failure_count, 0U) << example;
        EXPECT_EQ(report->run_count, 5U);
    }
}

TEST_F(ThirdPartySorts, TheBrokenOneIsDiagnosed) {
    ThirdPartyRuns runs = runs_of("broken_sort");
    runs.keys.key_count = 256 * 512; // about 512 keys per bucket
    runs.run_count = 3;
    auto const report = run_third_party_sort(runs);
    ASSERT_TRUE(report.has_value()) << report.error().message();
    ASSERT_TRUE(report->first.has_value());
    EXPECT_GT(report->rate_95.value().lower, 0);
    EXPECT_FALSE(report->first->sentences.empty());
    EXPECT_TRUE(fs::exists(report->first->input));
    EXPECT_TRUE(fs::exists(report->first->output));
}

TEST_F(ThirdPartySorts, ACrashIsAResult) {
    ::setenv("KEYSWAP_BROKEN_SORT", "crash", 1);
    auto const report = run_third_party_sort(runs_of("broken_sort"));
    ::unsetenv("KEYSWAP_BROKEN_SORT");
    ASSERT_TRUE(report.has_value()) << report.error().message();
    ASSERT_TRUE(report->first.has_value());
    EXPECT_EQ(report->first->end.end, ChildEnd::killed);
}

TEST_F(ThirdPartySorts, FindsAWriteOutsideTheKeysForAnyNumberOfKeys) {
    ::setenv("KEYSWAP_BROKEN_SORT", "overrun", 1);
    for (std::uint64_t const count : {1, 15, 1'000, 1'024, 4'096}) {
        ThirdPartyRuns runs = runs_of("broken_sort");
        runs.keys.key_count = count;
        auto const report = run_third_party_sort(runs);
        ASSERT_TRUE(report.has_value()) << report.error().message();
        ASSERT_TRUE(report->first.has_value()) << count;
        bool const noticed = report->first->end.end == ChildEnd::out_of_bounds ||
                             report->first->end.end == ChildEnd::killed;
        EXPECT_TRUE(noticed) << count;
    }
    ::unsetenv("KEYSWAP_BROKEN_SORT");
}

TEST_F(ThirdPartySorts, ASortThatRefusesAndOneThatHangsAreFailures) {
    ThirdPartyRuns refusing = runs_of("tbb_sort");
    refusing.keys.key_type = KeyType::f64; // supports u32 only
    auto const refused = run_third_party_sort(refusing);
    ASSERT_TRUE(refused.has_value()) << refused.error().message();
    EXPECT_EQ(refused->first->end.end, ChildEnd::refused);

    ThirdPartyRuns hanging = runs_of("tbb_sort");
    hanging.library.clear();
    hanging.command = "sleep 20";
    hanging.timeout = std::chrono::milliseconds(200);
    auto const hung = run_third_party_sort(hanging);
    ASSERT_TRUE(hung.has_value()) << hung.error().message();
    EXPECT_EQ(hung->first->end.end, ChildEnd::timed_out);
}

TEST_F(ThirdPartySorts, ValuesThatDoNotMoveWithTheirKeysAreFound) {
    ThirdPartyRuns runs = runs_of("std_sort"); // does not move values
    runs.value_type = ValueType::bits32;
    auto const report = run_third_party_sort(runs);
    ASSERT_TRUE(report.has_value()) << report.error().message();
    ASSERT_TRUE(report->first.has_value());
    EXPECT_EQ(report->kinds.front().first, "not pairs");
}

TEST_F(ThirdPartySorts, AProgramIsRunOnFiles) {
    ThirdPartyRuns runs = runs_of("std_sort");
    runs.library.clear();
    runs.keys.distribution = "sorted";
    runs.command = "cp {input} {output}";
    auto const copied = run_third_party_sort(runs);
    ASSERT_TRUE(copied.has_value()) << copied.error().message();
    EXPECT_EQ(copied->failure_count, 0U);

    // A command that sorts, to distinguish input and output.
    runs.command =
        R"(perl -e 'undef $/; print pack("V*", sort { $a <=> $b } unpack("V*", <STDIN>))')"
        " < {input} > {output}";
    runs.keys.distribution = "uniform";
    auto const sorted = run_third_party_sort(runs);
    ASSERT_TRUE(sorted.has_value()) << sorted.error().message();
    EXPECT_EQ(sorted->failure_count, 0U);
    runs.command = "cp {input} {output}";
    EXPECT_EQ(run_third_party_sort(runs)->kinds.front().first, "not sorted");

    runs.keys.distribution = "sorted";
    runs.command = "head -c 79996 {input} > {output}"; // removes one key
    auto const cut = run_third_party_sort(runs);
    ASSERT_TRUE(cut.has_value()) << cut.error().message();
    EXPECT_EQ(cut->kinds.front().first, "not permutation");

    runs.command = "true";
    auto const silent = run_third_party_sort(runs);
    ASSERT_TRUE(silent.has_value()) << silent.error().message();
    EXPECT_EQ(silent->kinds.front().first, "not output");
}

TEST_F(ThirdPartySorts, AMissingLibraryOrFunctionIsTheUsersMistake) {
    EXPECT_FALSE(run_third_party_sort(runs_of("no_such_sort")).has_value());
    ThirdPartyRuns runs = runs_of("std_sort");
    runs.function = "no_such_function";
    EXPECT_FALSE(run_third_party_sort(runs).has_value());
}

/// Content of a report that does not depend on time.
std::string summary_of(ThirdPartyReport const& report) {
    std::string text = std::to_string(report.failure_count) + " of " +
                       std::to_string(report.run_count) + ", first " +
                       (report.first ? std::to_string(report.first->seed) : "none");
    for (auto const& [kind, count] : report.kinds) {
        text += ", " + std::to_string(count) + " x " + kind;
    }
    for (std::string const& sentence :
         report.first ? report.first->sentences : std::vector<std::string>()) {
        text += "\n" + sentence;
    }
    return text;
}

/// A bucket of about 461 keys has exactly 512 in one of four runs.
constexpr std::uint64_t failing_sometimes = 118'000;

TEST_F(ThirdPartySorts, SeveralAtATimeFindTheSameAsOneAfterTheOther) {
    ThirdPartyRuns runs = runs_of("broken_sort");
    runs.keys.key_count = failing_sometimes;
    runs.run_count = 20;
    auto const alone = run_third_party_sort(runs);
    ASSERT_TRUE(alone.has_value()) << alone.error().message();
    ASSERT_GT(alone->failure_count, 1U);
    ASSERT_LT(alone->failure_count, 20U);
    for (unsigned const jobs : {2U, 5U}) {
        runs.job_count = jobs;
        std::uint64_t reported = 0;
        runs.on_run = [&reported] { ++reported; };
        auto const together = run_third_party_sort(runs);
        ASSERT_TRUE(together.has_value()) << together.error().message();
        EXPECT_EQ(summary_of(*together), summary_of(*alone)) << jobs;
        EXPECT_EQ(reported, 20U);
        // Each process keeps its own first failure; one of them remains.
        std::size_t kept = 0;
        for (auto const& entry : fs::directory_iterator(together->first->input.parent_path())) {
            kept += static_cast<std::size_t>(entry.is_regular_file());
        }
        EXPECT_EQ(kept, 2U);
        EXPECT_TRUE(fs::exists(together->first->input));
        EXPECT_TRUE(fs::exists(together->first->output));
    }
}

TEST_F(ThirdPartySorts, StopAfterTheFailuresThatAreAskedFor) {
    ThirdPartyRuns runs = runs_of("broken_sort");
    runs.keys.key_count = failing_sometimes;
    runs.run_count = 100;
    runs.failure_count_max = 2;
    auto const report = run_third_party_sort(runs);
    ASSERT_TRUE(report.has_value()) << report.error().message();
    EXPECT_EQ(report->failure_count, 2U);
    EXPECT_LT(report->run_count, 100U);
    // Completed runs have the first seeds, so that the rate is that of the shown range.
    runs.run_count = report->run_count;
    runs.failure_count_max = 100;
    EXPECT_EQ(summary_of(run_third_party_sort(runs).value()), summary_of(*report));
    runs.run_count -= 1;
    EXPECT_EQ(run_third_party_sort(runs)->failure_count, 1U);

    runs.run_count = 100;
    runs.failure_count_max = 2;
    runs.job_count = 3;
    auto const together = run_third_party_sort(runs);
    ASSERT_TRUE(together.has_value()) << together.error().message();
    EXPECT_GE(together->failure_count, 2U); // runs in progress are counted too
    EXPECT_LE(together->failure_count, 4U);
    EXPECT_EQ(together->first->seed, report->first->seed);
}

TEST_F(ThirdPartySorts, AreTimedWithoutTheMakingAndTheCheckOfTheirKeys) {
    using namespace std::chrono_literals;
    ThirdPartyRuns runs = runs_of("subjects");
    runs.function = "sleeps_a_fifth_of_a_second";
    runs.run_count = 3;
    auto const library = run_third_party_sort(runs);
    ASSERT_TRUE(library.has_value()) << library.error().message();
    ASSERT_TRUE(library->times.has_value());
    EXPECT_GE(library->times->least, 200ms);
    EXPECT_LT(library->times->least, 2s);
    EXPECT_LE(library->times->least, library->times->median);
    EXPECT_LE(library->times->median, library->times->most);

    runs.library.clear();
    runs.keys.distribution = "sorted";
    runs.command = "sleep 0.2; cp {input} {output}";
    auto const command = run_third_party_sort(runs);
    ASSERT_TRUE(command.has_value()) << command.error().message();
    EXPECT_GE(command->times.value().least, 200ms);
    EXPECT_LT(command->times->least, 2s);

    runs.command = "false";
    EXPECT_FALSE(run_third_party_sort(runs)->times.has_value()); // nothing returned
}

TEST_F(ThirdPartySorts, AMissingLibraryIsTheUsersMistakeInSeveralProcessesToo) {
    ThirdPartyRuns runs = runs_of("no_such_sort");
    runs.run_count = 20;
    runs.job_count = 4;
    EXPECT_FALSE(run_third_party_sort(runs).has_value());
    EXPECT_TRUE(fs::is_empty(folder_.path()));
}

} // namespace
} // namespace keyswap::conformance
