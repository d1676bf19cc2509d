/// \file Every recorded run of the repository agrees with the model: runs of real machines in
/// traces/recorded, and a few reference runs, so that the test is never empty.

#include "model/verify/verify_trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <iostream>
#include <string>
#include <vector>

namespace keyswap::model::verify {
namespace {

namespace fs = std::filesystem;

/// Traces below a folder, ordered by name; empty if the folder does not exist.
std::vector<fs::path> traces_below(fs::path const& folder) {
    std::vector<fs::path> traces;
    if (!fs::is_directory(folder)) {
        return traces;
    }
    for (fs::directory_entry const& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.path().filename().string().find(".trace") != std::string::npos) {
            traces.push_back(entry.path());
        }
    }
    std::ranges::sort(traces);
    return traces;
}

void expect_agreement(std::vector<fs::path> const& traces) {
    std::vector<RecordedRun> runs;
    std::vector<Report> reports;
    std::size_t left_out = 0;
    for (fs::path const& path : traces) {
        auto run = read_recorded_run(path);
        ASSERT_TRUE(run.has_value()) << run.error().message();
        if (run->header.key_count > KEYSWAP_RECORDED_KEYS_MAX) {
            left_out += 1;
            continue;
        }
        auto report = verify_run(*run);
        ASSERT_TRUE(report.has_value()) << report.error().message();
        runs.push_back(std::move(*run));
        reports.push_back(std::move(*report));
    }
    verify_determinism(runs, reports);
    for (Report const& report : reports) {
        for (Difference const& difference : report.differences) {
            ADD_FAILURE() << report.name << ": " << sentence_of(difference);
        }
    }
    EXPECT_FALSE(reports.empty());
    std::cout << std::ranges::count_if(reports, &Report::holds) << " of " << reports.size()
              << " recorded runs agree with the model; " << left_out << " with more than "
              << std::uint64_t{KEYSWAP_RECORDED_KEYS_MAX}
              << " keys are left to an optimised build\n";
}

TEST(RecordedTraces, OfTheReferenceAgreeWithTheModel) {
    auto const traces = traces_below(fs::path(KEYSWAP_SOURCE_DIR) / "proptests/recorded");
    EXPECT_GE(traces.size(), 5U);
    expect_agreement(traces);
}

TEST(RecordedTraces, OfRealMachinesAgreeWithTheModel) {
    auto const traces = traces_below(fs::path(KEYSWAP_SOURCE_DIR) / "traces/recorded");
    if (traces.empty()) {
        GTEST_SKIP() << "traces/recorded holds no traces";
    }
    expect_agreement(traces);
}

} // namespace
} // namespace keyswap::model::verify
