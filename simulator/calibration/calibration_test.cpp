/// \file Fits to runs with known constants: the simulator generated the runs.

#include "simulator/calibration/calibration.hpp"
#include "simulator/calibration/validation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {
namespace {

Machine fitted_machine() {
    auto machine = load_machine("ac922", std::nullopt);
    EXPECT_TRUE(machine);
    return *machine;
}

/// Measured runs with their times replaced by those of a simulated machine.
std::vector<Measurement> runs_of(Machine const& machine) {
    auto published = read_measurements(KEYSWAP_MEASUREMENTS "/ac922.csv");
    EXPECT_TRUE(published);
    std::erase_if(*published, [](Measurement const& run) {
        return run.distribution != "uniform" || run.key_type != "uint32" ||
               run.key_count < 1'000'000'000 || run.key_count > 2'000'000'000 ||
               run.gpus.size() < 2;
    });
    auto const predicted = validate(machine, *published);
    EXPECT_TRUE(predicted);
    std::vector<Measurement> runs;
    for (ValidatedConfiguration const& row : predicted->configurations) {
        PhaseTimes const& times = row.predicted;
        Measurement run = row.measured.first;
        run.total_ms = times.total_ms;
        for (GpuPhases& phases : run.phases) {
            phases = {times.host_to_device_ms,
                      times.histogram_ms,
                      times.scatter_ms,
                      times.key_swap_ms,
                      times.sort_ms,
                      0.0};
        }
        runs.push_back(run);
    }
    return runs;
}

/// Name of a run's configuration in residuals.
std::string name_of(Measurement const& run) {
    std::string name =
        std::to_string(run.key_count) + " " + run.key_type + " " + run.distribution + " on";
    for (int const gpu : run.gpus) {
        name += " " + std::to_string(gpu);
    }
    return name;
}

void slow_down(Measurement& run, double factor) {
    run.total_ms *= factor;
    for (GpuPhases& phases : run.phases) {
        phases.host_to_device_ms *= factor;
        phases.key_swap_ms *= factor;
        phases.sort_ms *= factor;
    }
}

/// The worst relative error among rows of one configuration, or among all others.
double worst(std::vector<Residual> const& residuals, std::string_view configuration, bool of_it) {
    double error = 0.0;
    for (Residual const& row : residuals) {
        if (row.configuration.starts_with(configuration) == of_it) {
            error = std::max(error, std::abs(row.error));
        }
    }
    return error;
}

double after(Calibration const& fit, std::string_view name) {
    auto const found = std::ranges::find(fit.constants, name, &CalibratedConstant::name);
    EXPECT_NE(found, fit.constants.end()) << name;
    return found->after;
}

TEST(Calibration, FindsTheConstantsThatMadeTheRuns) {
    Machine const made_by = fitted_machine();
    auto const runs = runs_of(made_by);
    Machine start = made_by;
    start.platform.link_kinds.front().efficiency *= 0.8;
    auto const fit = calibrate(start, runs, {});
    ASSERT_TRUE(fit);
    EXPECT_LT(worst(fit->residuals, "", true), 0.02);
    auto const& kind = made_by.platform.link_kinds.front();
    // From 0.946 on, memory that feeds two GPUs is the limit, so the fit cannot see more.
    EXPECT_NEAR(after(*fit, kind.name + ".efficiency"), kind.efficiency, 0.03 * kind.efficiency);
}

/// All phases of one configuration except partitioning take three times as long as predicted.
TEST(Calibration, AConfigurationThatNothingExplainsDoesNotBendTheRest) {
    auto runs = runs_of(fitted_machine());
    ASSERT_GE(runs.size(), 4U);
    slow_down(runs[1], 3);
    std::string const name = name_of(runs[1]);
    auto const fit = calibrate(fitted_machine(), runs, {});
    ASSERT_TRUE(fit);
    EXPECT_GT(worst(fit->residuals, name, true), 0.6); // reported, not fitted away
    EXPECT_LT(worst(fit->residuals, name, false), 0.02);
}

/// One configuration takes 1.2 times as long as predicted, in five runs that agree or disagree.
TEST(Calibration, ARowCountsAsMuchAsItsRunsAgree) {
    auto const others_worst = [](std::vector<double> const& factors) {
        auto runs = runs_of(fitted_machine());
        Measurement const odd = runs[1];
        runs.erase(runs.begin() + 1);
        for (double const factor : factors) {
            slow_down(runs.emplace_back(odd), factor);
        }
        auto const fit = calibrate(fitted_machine(), runs, {});
        EXPECT_TRUE(fit);
        return worst(fit->residuals, name_of(odd), false);
    };
    EXPECT_LT(others_worst({0.9, 1.0, 1.2, 1.4, 1.5}),
              0.7 * others_worst({1.2, 1.2, 1.2, 1.2, 1.2}));
}

TEST(Calibration, HeldOutRowsAreListedApartAndMoveNothing) {
    auto runs = runs_of(fitted_machine());
    CalibrationOptions options;
    options.rounds = 1;
    options.hold_out_every = 3;
    auto const names = [](std::vector<Residual> const& residuals) {
        std::set<std::string> all;
        for (Residual const& row : residuals) {
            all.insert(row.configuration);
        }
        return all;
    };
    auto const fit = calibrate(fitted_machine(), runs, options);
    ASSERT_TRUE(fit);
    std::set<std::string> const fitted = names(fit->residuals);
    std::set<std::string> const held_out = names(fit->held_out_residuals);
    EXPECT_EQ(held_out.size(), runs.size() / 3);
    EXPECT_EQ(fitted.size() + held_out.size(), runs.size());
    for (Measurement& run : runs) {
        EXPECT_NE(fitted.contains(name_of(run)), held_out.contains(name_of(run)));
        if (held_out.contains(name_of(run))) {
            slow_down(run, 2);
        }
    }
    auto const again = calibrate(fitted_machine(), runs, options);
    ASSERT_TRUE(again);
    for (std::size_t i = 0; i < fit->constants.size(); ++i) {
        EXPECT_EQ(again->constants[i].after, fit->constants[i].after) << fit->constants[i].name;
    }
    EXPECT_LT(worst(fit->held_out_residuals, "", true), 0.1);
    EXPECT_GT(worst(again->held_out_residuals, "", true), 0.4);
}

/// With uniform keys only, many pairs of constants give the same sum of both kernels.
TEST(Calibration, DistinguishesHistogramsFromScatters) {
    Machine const made_by = fitted_machine();
    auto const runs = runs_of(made_by);
    Machine start = made_by;
    start.device.key32.histogram_ps *= 1.6;
    start.device.key32.scatter_row_ps *= 0.7;
    auto const fit = calibrate(start, runs, {});
    ASSERT_TRUE(fit);
    double const histogram = made_by.device.key32.histogram_ps;
    EXPECT_NEAR(after(*fit, "key32.histogram"), histogram, 0.03 * histogram);
}

/// On GPUs 0 and 1 the GPU's link is as fast as its share of the memory: a faster link would have
/// no effect, but a slower one would be the limit.
TEST(Calibration, AConstantThatBindsOnOneSideOnlyStays) {
    auto published = read_measurements(KEYSWAP_MEASUREMENTS "/ac922.csv");
    ASSERT_TRUE(published);
    std::erase_if(*published, [](Measurement const& run) {
        return run.key_count < 1'000'000'000 || run.gpus != std::vector<int>{0, 1} ||
               run.key_type != "uint32";
    });
    auto const fit = calibrate(fitted_machine(), *published, {});
    ASSERT_TRUE(fit);
    EXPECT_GT(after(*fit, "nvlink2x3.efficiency"), 0.93);
}

} // namespace
} // namespace keyswap::simulator
