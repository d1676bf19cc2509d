#include "tools/record/foreign_check.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <gtest/gtest.h>
#include <string>

namespace keyswap::conformance {
namespace {

namespace fs = std::filesystem;

class ForeignSorts : public ::testing::Test {
  protected:
    [[nodiscard]] ForeignRuns runs_of(std::string const& example) const {
        ForeignRuns runs;
        runs.library = fs::path(KEYSWAP_EXAMPLES) / (example + ".so");
        runs.keys.key_count = 20'000;
        runs.folder = folder_.path();
        return runs;
    }

    testing::TemporaryFolder folder_;
};

TEST_F(ForeignSorts, OfTheStandardLibraryAndTbbAreRight) {
    for (std::string const example : {"std_sort", "parallel_mode_sort", "tbb_sort"}) {
        ForeignRuns runs = runs_of(example);
        runs.run_count = 5;
        auto const report = run_foreign_sort(runs);
        ASSERT_TRUE(report.has_value()) << report.error().message();
        EXPECT_EQ(report->failure_count, 0U) << example;
        EXPECT_EQ(report->run_count, 5U);
    }
}

TEST_F(ForeignSorts, TheBrokenOneIsDiagnosed) {
    ForeignRuns runs = runs_of("broken_sort");
    runs.keys.key_count = 256 * 512; // its buckets hold about 512 keys
    runs.run_count = 3;
    auto const report = run_foreign_sort(runs);
    ASSERT_TRUE(report.has_value()) << report.error().message();
    ASSERT_TRUE(report->first.has_value());
    EXPECT_GT(report->rate_95.lower, 0);
    EXPECT_FALSE(report->first->sentences.empty());
    EXPECT_TRUE(fs::exists(report->first->input));
    EXPECT_TRUE(fs::exists(report->first->output));
}

TEST_F(ForeignSorts, ACrashIsAResult) {
    ::setenv("KEYSWAP_BROKEN_SORT", "crash", 1);
    auto const report = run_foreign_sort(runs_of("broken_sort"));
    ::unsetenv("KEYSWAP_BROKEN_SORT");
    ASSERT_TRUE(report.has_value()) << report.error().message();
    ASSERT_TRUE(report->first.has_value());
    EXPECT_EQ(report->first->end.end, ChildEnd::killed);
}

TEST_F(ForeignSorts, AWriteBesideTheKeysIsFoundForAnyNumberOfKeys) {
    ::setenv("KEYSWAP_BROKEN_SORT", "overrun", 1);
    for (std::uint64_t const count : {1, 15, 1'000, 1'024, 4'096}) {
        ForeignRuns runs = runs_of("broken_sort");
        runs.keys.key_count = count;
        auto const report = run_foreign_sort(runs);
        ASSERT_TRUE(report.has_value()) << report.error().message();
        ASSERT_TRUE(report->first.has_value()) << count;
        bool const noticed = report->first->end.end == ChildEnd::out_of_bounds ||
                             report->first->end.end == ChildEnd::killed;
        EXPECT_TRUE(noticed) << count;
    }
    ::unsetenv("KEYSWAP_BROKEN_SORT");
}

TEST_F(ForeignSorts, ASortThatRefusesAndOneThatHangsAreFailures) {
    ForeignRuns refusing = runs_of("tbb_sort");
    refusing.keys.key_type = KeyType::f64; // it knows u32 only
    auto const refused = run_foreign_sort(refusing);
    ASSERT_TRUE(refused.has_value()) << refused.error().message();
    EXPECT_EQ(refused->first->end.end, ChildEnd::refused);

    ForeignRuns hanging = runs_of("tbb_sort");
    hanging.library.clear();
    hanging.command = "sleep 20";
    hanging.timeout = std::chrono::milliseconds(200);
    auto const hung = run_foreign_sort(hanging);
    ASSERT_TRUE(hung.has_value()) << hung.error().message();
    EXPECT_EQ(hung->first->end.end, ChildEnd::timed_out);
}

TEST_F(ForeignSorts, ValuesThatDoNotMoveWithTheirKeysAreFound) {
    ForeignRuns runs = runs_of("std_sort"); // it leaves values where they are
    runs.value_type = ValueType::bits32;
    auto const report = run_foreign_sort(runs);
    ASSERT_TRUE(report.has_value()) << report.error().message();
    ASSERT_TRUE(report->first.has_value());
    EXPECT_EQ(report->kinds.front().first, "not pairs");
}

TEST_F(ForeignSorts, AProgramIsRunOnFiles) {
    ForeignRuns runs = runs_of("std_sort");
    runs.library.clear();
    runs.keys.distribution = "sorted";
    runs.command = "cp {input} {output}";
    auto const copied = run_foreign_sort(runs);
    ASSERT_TRUE(copied.has_value()) << copied.error().message();
    EXPECT_EQ(copied->failure_count, 0U);

    runs.command = "head -c 79996 {input} > {output}"; // one key is missing
    auto const cut = run_foreign_sort(runs);
    ASSERT_TRUE(cut.has_value()) << cut.error().message();
    EXPECT_EQ(cut->kinds.front().first, "not permutation");

    runs.command = "true";
    auto const silent = run_foreign_sort(runs);
    ASSERT_TRUE(silent.has_value()) << silent.error().message();
    EXPECT_EQ(silent->kinds.front().first, "not output");
}

TEST_F(ForeignSorts, AMissingLibraryOrFunctionIsTheUsersMistake) {
    EXPECT_FALSE(run_foreign_sort(runs_of("no_such_sort")).has_value());
    ForeignRuns runs = runs_of("std_sort");
    runs.function = "no_such_function";
    EXPECT_FALSE(run_foreign_sort(runs).has_value());
}

} // namespace
} // namespace keyswap::conformance
