/// \file Predictions of the simulator as last reviewed: every sort on every shipped machine, every
/// published run and rate, and the fits. These numbers are not claimed to be right; other tests
/// check that.

#include "simulator/calibration/calibration.hpp"
#include "simulator/calibration/certainty.hpp"
#include "simulator/calibration/rate_fit.hpp"
#include "simulator/calibration/rate_validation.hpp"
#include "simulator/calibration/validation.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/cost/host_profile.hpp"
#include "simulator/prediction/partition_choice.hpp"
#include "simulator/prediction/simulated_rate.hpp"
#include "traces/testing/recorded_text.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <numeric>
#include <sstream>
#include <tuple>
#include <vector>

namespace keyswap::simulator {
namespace {

std::string number(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), " %.8g", value);
    return text.data();
}

void expect_recorded(std::string const& name, std::ostringstream const& text) {
    testing::expect_recorded(std::string(KEYSWAP_RECORDED_PREDICTIONS) + "/" + name, text.str());
}

std::string text_of(PhaseTimes const& times) {
    std::string text = number(times.total_ms) + " in" + number(times.host_to_device_ms) + " count";
    for (double const ms : times.histogram_ms) {
        text += number(ms);
    }
    text += " scatter";
    for (double const ms : times.scatter_ms) {
        text += number(ms);
    }
    return text + " swap" + number(times.key_swap_ms) + " sort" + number(times.sort_ms);
}

/// The keys to sort, and their place.
struct Load {
    KeyType key_type;
    ValueType value_type;
    std::uint64_t key_count;
    char const* distribution;
    std::optional<double> parameter;
    char const* place;
    std::size_t gpus_most = 4;
    std::optional<SwapOrder> swap = SwapOrder::flat;
};

void predict(std::string const& platform, Load const& load, std::ostringstream& text) {
    auto const machine = load_machine(platform, std::nullopt);
    ASSERT_TRUE(machine) << platform;
    for (ScheduleKind const* const kind : schedule_kinds()) {
        SimulationRequest request;
        request.algorithm = full_name(kind->choice());
        request.config.key_type = load.key_type;
        request.config.value_type = load.value_type;
        request.config.key_count = load.key_count;
        request.distribution = load.distribution;
        request.parameter = load.parameter;
        request.input = *parse_key_place(load.place, "place");
        request.swap = load.swap;
        request.gpus.resize(std::min(machine->platform.gpus.size(), load.gpus_most));
        std::iota(request.gpus.begin(), request.gpus.end(), 0U);
        GpuCounts const gpus = kind->choice().algorithm->gpus;
        request.gpus.resize(gpus == GpuCounts::none  ? 0
                            : gpus == GpuCounts::one ? 1
                                                     : request.gpus.size());
        text << platform << ' ' << request.algorithm << ' ' << to_string(load.key_type) << ' '
             << load.distribution << ' ' << load.key_count
             << (load.gpus_most == 4 ? ":" : " on " + std::to_string(load.gpus_most) + ":");
        auto const simulation = simulate(*machine, std::move(request));
        if (!simulation) {
            text << ' ' << simulation.error().message() << '\n';
            continue;
        }
        text << text_of(phase_times(*simulation)) << "; " << simulation->schedule.passes << ' '
             << simulation->schedule.copies << ' ' << simulation->schedule.sort_calls << "; bytes";
        for (MemoryUse const& use : simulation->memory.uses) {
            text << ' ' << use.used_bytes;
        }
        text << ", keys at most " << simulation->memory.keys_most << '\n';
    }
}

class RecordedPredictions : public ::testing::TestWithParam<char const*> {};

TEST_P(RecordedPredictions, OfEverySortAreAsTheyWere) {
    std::ostringstream text;
    std::string const platform = GetParam();
    predict(platform,
            {KeyType::u32, ValueType::none, 100'000'000, "uniform", std::nullopt, "node:0"},
            text);
    predict(platform, {KeyType::f64, ValueType::bits32, 3'000'000, "zipf", 0.9, "devices"}, text);
    predict(platform,
            {KeyType::i64, ValueType::none, 10'000, "gaussian", std::nullopt, "node:0"},
            text);
    std::string file = platform + ".txt";
    std::ranges::replace(file, ':', '-');
    expect_recorded(file, text);
}

INSTANTIATE_TEST_SUITE_P(Platforms,
                         RecordedPredictions,
                         ::testing::Values("ac922",
                                           "dgx-a100",
                                           "dgx-h100",
                                           "gb200-nvl72",
                                           "hgx-h200",
                                           "pcie-4gpu",
                                           "cluster:dgx-h100:2"));

/// One GPU, whose sort overlaps its copies; all GPUs of a machine; nodes that exchange in rounds.
TEST(RecordedStudies, OfOneGpuOfAllAndOfNodesAreAsTheyWere) {
    constexpr std::optional<double> standard = std::nullopt;
    std::ostringstream text;
    for (std::size_t const gpus : {std::size_t{1}, std::size_t{8}}) {
        predict("hgx-h200",
                {KeyType::u32, ValueType::none, 30'000'000, "uniform", standard, "node:0", gpus},
                text);
        predict("hgx-h200",
                {KeyType::u64, ValueType::none, 20'000'000, "sorted", standard, "devices", gpus},
                text);
        predict("hgx-h200",
                {KeyType::u32, ValueType::bits64, 300'000, "zero", standard, "devices", gpus},
                text);
        predict("hgx-h200",
                {KeyType::f32, ValueType::bits32, 9'000'000, "zipf", 1.2, "interleaved", gpus},
                text);
        predict("hgx-h200",
                {KeyType::u128, ValueType::none, 9'000'000, "skewed", 20.0, "local", gpus},
                text);
    }
    for (auto const swap : {std::optional(SwapOrder::by_node), std::optional<SwapOrder>()}) {
        predict("cluster:dgx-h100:2",
                {KeyType::u32, ValueType::none, 50'000'000, "uniform", standard, "local", 12, swap},
                text);
    }
    expect_recorded("one-all-nodes.txt", text);
}

std::vector<Measurement> runs_of(std::string const& platform) {
    auto runs = read_measurements(KEYSWAP_MEASUREMENTS "/" + platform + ".csv");
    EXPECT_TRUE(runs);
    return *runs;
}

TEST(RecordedStudies, OfPublishedRunsAreAsTheyWere) {
    std::ostringstream text;
    for (char const* const platform : {"ac922", "dgx-a100"}) {
        auto const machine = load_machine(platform, std::nullopt);
        ASSERT_TRUE(machine);
        auto const validation = validate(*machine, runs_of(platform));
        ASSERT_TRUE(validation);
        for (ValidatedConfiguration const& row : validation->configurations) {
            Measurement const& run = row.measured.first;
            text << platform << ' ' << run.algorithm << ' ' << run.gpus.size() << ' '
                 << run.key_type << ' ' << run.distribution << ' ' << run.key_count << ":"
                 << text_of(row.predicted) << "; " << row.predicted_passes << '\n';
        }
        text << validation->passes_equal << " of " << validation->passes_compared
             << " as many passes\n";
        for (ErrorSummary const& phase : summarize(*validation, {0, ~std::uint64_t{0}, 1.0})) {
            text << phase.phase << ' ' << phase.count << number(phase.median) << number(phase.p95)
                 << number(phase.worst) << '\n';
        }
    }
    expect_recorded("published-runs.txt", text);
}

TEST(RecordedStudies, OfPublishedRatesAreAsTheyWere) {
    std::string const file = KEYSWAP_MEASUREMENTS "/rates.csv";
    auto const rates = parse_rates(testing::text_of(file), file);
    ASSERT_TRUE(rates);
    auto const profiles = profiles_of(*rates, file);
    ASSERT_TRUE(profiles);
    std::ostringstream text;
    auto const rows = predict_rates(*rates, *profiles);
    for (PredictedRate const& row : rows) {
        text << row.rate.line << (row.basis == RateBasis::steps ? " steps" : "");
        text << (row.predicted ? number(*row.predicted) : " none") << '\n';
    }
    for (RateGroup const& group : summarize_rates(rows)) {
        text << group.source << ' ' << group.table << ' ' << group.method << ':';
        for (ErrorSummary const* const errors :
             {&group.fitted, &group.held_out, &group.suspect, &group.steps}) {
            text << ' ' << errors->count << number(errors->median) << number(errors->p95)
                 << number(errors->worst) << ',';
        }
        text << ' ' << group.without_law << '\n';
    }
    for (FastestMethod const& table : fastest_methods(rows)) {
        text << table.source << ' ' << table.table << ' ' << table.cells << ' ' << table.within_5
             << ' ' << table.clear << ' ' << table.clear_named << '\n';
    }
    expect_recorded("published-rates.txt", text);
}

/// Every law of a multisplit, on every device with costs.
TEST(RecordedStudies, OfPartitionsAreAsTheyWere) {
    std::ostringstream text;
    for (std::string const& name : shipped_rate_profiles()) {
        auto const profile = load_rate_profile(name);
        ASSERT_TRUE(profile);
        for (std::uint32_t const buckets : {2U, 32U, 100U, 1000U}) {
            for (char const* const rule : {"digit", "delta", "even", "splitters"}) {
                for (int const value_bytes : {0, 4}) {
                    PartitionLoad load;
                    load.key_count = 1U << 25U;
                    load.buckets = buckets;
                    load.rule = rule;
                    load.key_bytes = buckets == 100 ? 8 : 4;
                    load.value_bytes = value_bytes;
                    text << name << ' ' << buckets << ' ' << rule << ' ' << value_bytes << ':';
                    for (MethodTime const& time : partition_methods(*profile, load)) {
                        text << ' ' << time.method << number(time.stages.total_ms());
                    }
                    text << '\n';
                }
            }
        }
    }
    expect_recorded("partitions.txt", text);
}

/// Laws of kernels that only some configurations use, each with keys of 4, 8 and 16 bytes.
TEST(RecordedStudies, OfFastKernelsAreAsTheyWere) {
    auto const profile = load_device_profile("h200");
    ASSERT_TRUE(profile);
    FastKernels const kernels(*profile);
    std::ostringstream text;
    for (std::size_t const key_bytes : {4U, 8U, 16U}) {
        for (std::uint64_t const keys : {300'000U, 200'000'000U}) {
            auto const add = [&](char const* name, KernelCost const& cost) {
                text << name << ' ' << key_bytes << ' ' << keys << ": " << cost.duration.ps << ' '
                     << cost.hbm_bytes << ' ' << cost.cold_slowdown << '\n';
            };
            add("histogram", kernels.histogram(key_bytes, keys));
            add("count", kernels.count(key_bytes, keys, 3));
            for (std::size_t const value_bytes : {0U, 4U, 8U}) {
                RecordBytes const record{key_bytes, value_bytes};
                add("unstable step, even", kernels.unstable_step(record, keys, 8));
                for (double const concentration : {0.01, 0.2, 0.5}) {
                    BlockSpread const spread{concentration, 20.0, concentration};
                    add("unstable step", kernels.unstable_step(record, keys, spread));
                    add("range step", kernels.range_step(record, keys, spread));
                }
            }
            add("stretches", kernels.count_stretches(keys, keys / 500'000 + 1));
            for (std::size_t const value_bytes : {0U, 4U, 8U}) {
                add("stable step", kernels.stable_step({key_bytes, value_bytes}, keys));
                add("leaf", kernels.leaf_sort({key_bytes, value_bytes}, keys));
                add("direct step", kernels.direct_step({key_bytes, value_bytes}, keys, 7));
                for (std::uint64_t const leaf : {2U, 100U, 2048U, 5000U}) {
                    add("quicksort", kernels.quicksort({key_bytes, value_bytes}, keys, leaf));
                }
            }
            add("counting", kernels.counting_sort(keys, keys / 4000 + 1));
            for (double const concentration : {0.0, 0.01, 1.0}) {
                add("label", kernels.label(key_bytes, keys, 7, concentration));
            }
            add("bins", kernels.leaf_bins({key_bytes, 0}, keys));
            add("copy", kernels.copy(keys * key_bytes));
        }
    }
    expect_recorded("fast-kernels.txt", text);
}

TEST(RecordedStudies, OfIntervalsAreAsTheyWere) {
    std::ostringstream text;
    for (char const* const platform : {"pcie-4gpu", "hgx-h200"}) {
        auto const machine = load_machine(platform, std::nullopt);
        ASSERT_TRUE(machine);
        SimulationRequest request;
        request.config.key_count = 500'000'000;
        request.gpus = {0, 1};
        auto const simulation = simulate(*machine, request);
        ASSERT_TRUE(simulation);
        auto const certainty = certainty_of(*machine, *simulation);
        ASSERT_TRUE(certainty);
        text << platform << number(certainty->low_ms) << number(certainty->high_ms)
             << number(certainty->model.error) << '\n';
        for (AssumptionEffect const& effect : certainty->effects) {
            text << effect.constant.name << number(effect.constant.low()) << " to"
                 << number(effect.constant.high()) << ':' << number(effect.low_ms)
                 << number(effect.high_ms) << (effect.simulated ? " simulated\n" : "\n");
        }
    }
    expect_recorded("intervals.txt", text);
}

/// For sorts with different kernels, launches and host work, and what would swap two sorts' order.
TEST(RecordedStudies, OfAssumptionsAreAsTheyWere) {
    std::ostringstream text;
    for (auto const& [platform, algorithm, gpus] :
         std::vector<std::tuple<char const*, char const*, std::size_t>>{
             {"hgx-h200", "rmg-fast", 4},
             {"hgx-h200", "rmg-paper", 3},
             {"ac922", "p2p-merge", 2},
             {"ac922", "het-merge", 4},
             {"pcie-4gpu", "sample-sort-paper", 2},
             {"dgx-a100", "cpu-paradis", 0}}) {
        auto const machine = load_machine(platform, std::nullopt);
        ASSERT_TRUE(machine);
        SimulationRequest request;
        request.algorithm = algorithm;
        request.config.key_count = 3'000'000;
        request.config.tolerance_ppm = 0;
        request.distribution = "zipf";
        request.gpus.resize(gpus);
        std::iota(request.gpus.begin(), request.gpus.end(), 0U);
        auto const simulation = simulate(*machine, request);
        ASSERT_TRUE(simulation) << simulation.error().message();
        CertaintyOptions options;
        options.simulated_max = 1;
        options.change_min = 0.0005;
        auto const certainty = certainty_of(*machine, *simulation, options);
        ASSERT_TRUE(certainty);
        text << platform << ' ' << algorithm << number(certainty->low_ms)
             << number(certainty->high_ms) << '\n';
        for (AssumptionEffect const& effect : certainty->effects) {
            text << "  " << effect.constant.name << number(effect.low_ms) << number(effect.high_ms)
                 << (effect.simulated ? " simulated\n" : "\n");
        }
    }
    expect_recorded("assumptions.txt", text);
}

/// Last digits of a fit's steps depend on compiler and libraries, so fewer digits are recorded.
std::string few_digits(double value) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), " %.3g", value);
    return text.data();
}

TEST(RecordedStudies, OfFitsToRunsAreAsTheyWere) {
    auto runs = runs_of("ac922");
    std::erase_if(runs, [](Measurement const& run) {
        return run.key_type != "uint32" || run.distribution != "uniform" ||
               run.key_count != 2'000'000'000 || run.gpus.size() != 2;
    });
    auto const machine = load_machine("ac922", std::nullopt);
    ASSERT_TRUE(machine);
    CalibrationOptions options;
    options.rounds = 1;
    options.hold_out_every = 3;
    auto const fit = calibrate(*machine, runs, options);
    ASSERT_TRUE(fit) << fit.error().message();
    std::ostringstream text;
    for (CalibratedConstant const& constant : fit->constants) {
        text << constant.name << " [" << constant.unit << "]" << few_digits(constant.before)
             << " to" << few_digits(constant.after) << " +-" << few_digits(constant.confidence)
             << (constant.identified ? "\n" : " not identified\n");
    }
    text << fit->residuals.size() << " fitted, " << fit->held_out_residuals.size() << " held out\n";
    expect_recorded("calibration.txt", text);
}

TEST(RecordedStudies, OfFitsToRatesAreAsTheyWere) {
    auto rates = parse_rates(testing::text_of(KEYSWAP_MEASUREMENTS "/rates.csv"), "rates.csv");
    auto const start = load_rate_profile("k40c");
    ASSERT_TRUE(rates && start);
    std::erase_if(*rates, [](PublishedRate const& rate) { return rate.line % 11 != 0; });
    auto fitted = fit_rates(*start, *rates);
    ASSERT_TRUE(fitted) << fitted.error().message();
    std::ostringstream text;
    for (ProfileConstant const& constant : constants_of(*fitted)) {
        text << constant.name << " [" << constant.unit << "]" << few_digits(*constant.value)
             << '\n';
    }
    expect_recorded("rate-fit.txt", text);
}

} // namespace
} // namespace keyswap::simulator
