// Costs of CPU sorts are what the published runs say by their law, and rows of
// study/held_out.csv what they say without one size.

#include "simulator/study/calibration_nnls.hpp"
#include "simulator/study/held_out_runs.hpp"
#include "simulator/study/prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {
namespace {

struct SizedRun {
    std::uint64_t key_count = 0;
    double total_ms = 0.0;
};

/// Costs of which each is 1 ms or 1 ps.
std::vector<CpuSortCost> unit_costs(std::string const& algorithm) {
    CpuSortCost base;
    base.base_ms = 1.0;
    CpuSortCost key;
    key.key_ps = 1.0;
    CpuSortCost level;
    level.level_ps = 1.0;
    CpuSortCost last_pass;
    last_pass.last_pass_ms = 1.0;
    return algorithm == "paradis" ? std::vector{base, key, last_pass} : std::vector{base, level};
}

double seconds_of_u32(CpuSortCost const& cost, std::uint64_t key_count) {
    return cpu_sort_seconds(cost, key_count, 4);
}

/// The least squares of relative errors; no cost is negative.
CpuSortCost fitted(std::string const& algorithm, std::vector<SizedRun> const& runs) {
    auto const units = unit_costs(algorithm);
    auto const rows = static_cast<Eigen::Index>(runs.size());
    Eigen::MatrixXd a(rows, static_cast<Eigen::Index>(units.size()));
    for (Eigen::Index row = 0; row < rows; ++row) {
        SizedRun const& run = runs[static_cast<std::size_t>(row)];
        for (Eigen::Index unit = 0; unit < a.cols(); ++unit) {
            a(row, unit) = seconds_of_u32(units[static_cast<std::size_t>(unit)], run.key_count) *
                           1e3 / run.total_ms;
        }
    }
    Eigen::VectorXd const x = nonnegative_least_squares(a, Eigen::VectorXd::Ones(rows));
    CpuSortCost cost;
    for (Eigen::Index unit = 0; unit < a.cols(); ++unit) {
        CpuSortCost const& one = units[static_cast<std::size_t>(unit)];
        cost.base_ms += one.base_ms * x(unit);
        cost.key_ps += one.key_ps * x(unit);
        cost.level_ps += one.level_ps * x(unit);
        cost.last_pass_ms += one.last_pass_ms * x(unit);
    }
    return cost;
}

/// Medians by size.
std::vector<SizedRun>
sized_runs(std::string const& platform, std::string const& algorithm, int threads) {
    auto const rows = read_measurements(KEYSWAP_MEASUREMENTS "/" + platform + ".csv");
    EXPECT_TRUE(rows);
    std::vector<SizedRun> runs;
    for (MeasuredConfiguration const& one : measured_configurations(*rows)) {
        if (one.first.algorithm == algorithm + "-sort" &&
            one.first.cpu_threads == static_cast<std::uint32_t>(threads)) {
            runs.push_back({one.first.key_count, one.times.total_ms});
        }
    }
    return runs;
}

HeldOutRun held_out_row(std::string const& platform, std::string const& sort, SizedRun const& run) {
    // Threads are no column: the time tells rows of one size apart.
    auto const row = std::ranges::find_if(held_out_runs(), [&](HeldOutRun const& one) {
        return one.platform == platform && one.algorithm == sort &&
               one.key_count == run.key_count &&
               std::abs(one.measured_ms / run.total_ms - 1.0) < 1e-3;
    });
    EXPECT_NE(row, held_out_runs().end()) << platform << ", " << sort << ", " << run.key_count;
    return row == held_out_runs().end() ? HeldOutRun{} : *row;
}

TEST(CpuSortFit, ShippedCostsAndHeldOutRowsAreThoseOfPublishedRuns) {
    int rows = 0;
    for (std::string const platform : {"ac922", "dgx-a100"}) {
        auto const profile = host_profile_of(platform);
        ASSERT_TRUE(profile);
        for (CpuSortCost const& shipped : profile->sorts) {
            auto const runs = sized_runs(platform, shipped.algorithm, shipped.threads);
            ASSERT_EQ(runs.size(), shipped.measured_keys.size());
            CpuSortCost const of_all = fitted(shipped.algorithm, runs);
            for (std::size_t left_out = 0; left_out < runs.size(); ++left_out) {
                SizedRun const& run = runs[left_out];
                EXPECT_NEAR(seconds_of_u32(shipped, run.key_count) /
                                seconds_of_u32(of_all, run.key_count),
                            1.0,
                            2e-3);
                if (left_out == 0) {
                    continue; // it alone shows the base
                }
                auto others = runs;
                others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
                CpuSortCost without = fitted(shipped.algorithm, others);
                for (SizedRun const& other : others) {
                    without.measured_keys.push_back(other.key_count);
                }
                HeldOutRun const row = held_out_row(platform, "cpu-" + shipped.algorithm, run);
                double const predicted_ms = seconds_of_u32(without, run.key_count) * 1e3;
                EXPECT_NEAR(predicted_ms / row.predicted_ms, 1.0, 2e-3)
                    << platform << ", " << shipped.algorithm << ", " << shipped.threads
                    << " threads, " << run.key_count << " keys: " << predicted_ms << " ms";
                EXPECT_NEAR(row.reach, octaves_from_measured(without, run.key_count), 1e-9);
                ++rows;
            }
        }
    }
    EXPECT_EQ(rows, 18);
}

} // namespace
} // namespace keyswap::simulator
