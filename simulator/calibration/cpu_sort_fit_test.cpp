// Costs of CPU sorts follow from the published runs by their law, and rows of
// calibration/held_out.csv from fits without one size.

#include "simulator/calibration/calibration_nnls.hpp"
#include "simulator/calibration/held_out_runs.hpp"
#include "simulator/prediction/prediction.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {
namespace {

struct SizedRun {
    int threads = 0;
    std::uint64_t key_count = 0;
    double total_ms = 0.0;
};

double seconds_of_u32(CpuSortCost const& cost, std::uint64_t key_count) {
    return cpu_sort_seconds(cost, key_count, 4);
}

/// Costs of keys besides the base; each unit is 1 ms or 1 ps.
std::vector<CpuSortCost> unit_costs(std::string const& algorithm) {
    CpuSortCost key;
    key.key_ps = 1.0;
    CpuSortCost level;
    level.level_ps = 1.0;
    CpuSortCost last_pass;
    last_pass.last_pass_ms = 1.0;
    return algorithm == "paradis" ? std::vector{key, last_pass} : std::vector{level};
}

/// Fits a base for each number of threads, then the columns of `of_keys`, by nonnegative least
/// squares of relative errors.
Eigen::VectorXd fitted_columns(std::vector<SizedRun> const& runs,
                               std::vector<int> const& threads,
                               std::vector<std::vector<double>> const& of_keys) {
    auto const rows = static_cast<Eigen::Index>(runs.size());
    auto const bases = static_cast<Eigen::Index>(threads.size());
    Eigen::MatrixXd a(rows, bases + static_cast<Eigen::Index>(of_keys.size()));
    for (Eigen::Index row = 0; row < rows; ++row) {
        auto const run = static_cast<std::size_t>(row);
        for (Eigen::Index column = 0; column < a.cols(); ++column) {
            auto const index = static_cast<std::size_t>(column < bases ? column : column - bases);
            double const ms = column >= bases                       ? of_keys[index][run]
                              : threads[index] == runs[run].threads ? 1.0
                                                                    : 0.0;
            a(row, column) = ms / runs[run].total_ms;
        }
    }
    return nonnegative_least_squares(a, Eigen::VectorXd::Ones(rows));
}

/// Costs by number of threads. Threads of one core share its units, so more threads scale all
/// per-key costs by one factor; only the base is individual. Costs and factors are fitted
/// alternately.
std::vector<CpuSortCost> fitted(std::string const& algorithm, std::vector<SizedRun> const& runs) {
    auto const units = unit_costs(algorithm);
    std::vector<int> threads;
    for (SizedRun const& run : runs) {
        if (std::ranges::find(threads, run.threads) == threads.end()) {
            threads.push_back(run.threads);
        }
    }
    auto const threads_of = [&](SizedRun const& run) {
        return static_cast<std::size_t>(std::ranges::find(threads, run.threads) - threads.begin());
    };
    auto const bases = static_cast<Eigen::Index>(threads.size());
    std::vector<double> slowness(threads.size(), 1.0);
    std::vector<CpuSortCost> costs;
    for (int turn = 0; turn < 100; ++turn) {
        std::vector<std::vector<double>> columns;
        for (CpuSortCost const& unit : units) {
            auto& column = columns.emplace_back();
            for (SizedRun const& run : runs) {
                column.push_back(seconds_of_u32(unit, run.key_count) * 1e3 *
                                 slowness[threads_of(run)]);
            }
        }
        Eigen::VectorXd const shared = fitted_columns(runs, threads, columns);
        costs.assign(threads.size(), {});
        for (std::size_t index = 0; index < threads.size(); ++index) {
            costs[index].threads = threads[index];
            costs[index].base_ms = shared(static_cast<Eigen::Index>(index));
            for (std::size_t unit = 0; unit < units.size(); ++unit) {
                double const cost =
                    shared(bases + static_cast<Eigen::Index>(unit)) * slowness[index];
                costs[index].key_ps += units[unit].key_ps * cost;
                costs[index].level_ps += units[unit].level_ps * cost;
                costs[index].last_pass_ms += units[unit].last_pass_ms * cost;
            }
        }
        columns.assign(threads.size(), std::vector<double>(runs.size(), 0.0));
        for (std::size_t run = 0; run < runs.size(); ++run) {
            std::size_t const own = threads_of(runs[run]);
            columns[own][run] =
                seconds_of_u32(costs[own], runs[run].key_count) * 1e3 - costs[own].base_ms;
        }
        Eigen::VectorXd const factors = fitted_columns(runs, threads, columns);
        for (std::size_t index = 0; index < threads.size(); ++index) {
            slowness[index] *= factors(bases + static_cast<Eigen::Index>(index));
        }
    }
    return costs;
}

CpuSortCost with_threads(std::vector<CpuSortCost> const& costs, int threads) {
    return *std::ranges::find(costs, threads, &CpuSortCost::threads);
}

/// Medians by size, for any number of threads.
std::vector<SizedRun> sized_runs(std::string const& platform, std::string const& algorithm) {
    auto const rows = read_measurements(KEYSWAP_MEASUREMENTS "/" + platform + ".csv");
    EXPECT_TRUE(rows);
    std::vector<SizedRun> runs;
    for (MeasuredConfiguration const& one : measured_configurations(*rows)) {
        if (one.first.algorithm == algorithm + "-sort") {
            runs.push_back(
                {static_cast<int>(one.first.cpu_threads), one.first.key_count, one.times.total_ms});
        }
    }
    return runs;
}

HeldOutRun held_out_row(std::string const& platform, std::string const& sort, SizedRun const& run) {
    // Threads are not a column: the time distinguishes rows of one size.
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
            auto const runs = sized_runs(platform, shipped.algorithm);
            CpuSortCost const of_all =
                with_threads(fitted(shipped.algorithm, runs), shipped.threads);
            for (std::size_t left_out = 0; left_out < runs.size(); ++left_out) {
                SizedRun const& run = runs[left_out];
                if (run.threads != shipped.threads) {
                    continue;
                }
                EXPECT_NEAR(seconds_of_u32(shipped, run.key_count) /
                                seconds_of_u32(of_all, run.key_count),
                            1.0,
                            2e-3)
                    << of_all.base_ms << " ms, " << of_all.key_ps << " and " << of_all.level_ps
                    << " ps, " << of_all.last_pass_ms << " ms";
                if (run.key_count == shipped.measured_keys.front()) {
                    continue; // only this size determines the base
                }
                auto others = runs;
                others.erase(others.begin() + static_cast<std::ptrdiff_t>(left_out));
                CpuSortCost without =
                    with_threads(fitted(shipped.algorithm, others), shipped.threads);
                without.measured_keys = shipped.measured_keys;
                std::erase(without.measured_keys, run.key_count);
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
