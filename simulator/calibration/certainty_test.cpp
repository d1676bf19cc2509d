#include "simulator/calibration/certainty.hpp"
#include "simulator/calibration/held_out_runs.hpp"
#include "simulator/calibration/model_error.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace keyswap::simulator {
namespace {

struct Predicted {
    Machine machine;
    Simulation simulation;
    double total_ms = 0.0;
};

Predicted predicted(std::string const& platform,
                    std::string const& assumption = {},
                    std::string const& algorithm = SimulationRequest{}.algorithm) {
    auto machine = load_machine(platform, std::nullopt);
    EXPECT_TRUE(machine);
    if (!assumption.empty()) {
        machine = with_assumption(*machine, assumption);
        EXPECT_TRUE(machine);
    }
    SimulationRequest request;
    request.algorithm = algorithm;
    request.config.key_count = 2'000'000'000;
    for (std::uint32_t gpu = 0; gpu < machine->platform.gpus.size(); ++gpu) {
        request.gpus.push_back(gpu);
    }
    auto simulation = simulate(*machine, std::move(request));
    EXPECT_TRUE(simulation);
    double const total_ms = to_milliseconds(simulation->timeline.makespan);
    return {std::move(*machine), std::move(*simulation), total_ms};
}

TEST(Certainty, WhereAllWasMeasuredTheModelsErrorIsLeft) {
    Predicted const run = predicted("dgx-a100");
    auto const certainty = certainty_of(run.machine, run.simulation);
    ASSERT_TRUE(certainty);
    double const error = certainty->model.error;
    EXPECT_EQ(certainty->model.error_class, "published on dgx-a100");
    EXPECT_LE(certainty->low_ms, 1.001 * (1.0 - error) * run.total_ms);
    EXPECT_GT(certainty->low_ms, (1.0 - 1.5 * error) * run.total_ms);
    EXPECT_LT(certainty->high_ms, (1.0 + 1.5 * error) * run.total_ms);
}

TEST(Certainty, TheLinkThatBindsAndIsAssumedComesFirst) {
    Predicted const run = predicted("dgx-h100");
    auto const certainty = certainty_of(run.machine, run.simulation);
    ASSERT_TRUE(certainty);
    ASSERT_FALSE(certainty->effects.empty());
    AssumptionEffect const& first = certainty->effects.front();
    EXPECT_EQ(first.constant.name, "upi.efficiency");
    ASSERT_TRUE(first.simulated);
    // The reported effect equals that of --assume.
    EXPECT_NEAR(
        predicted("dgx-h100", "upi.efficiency=0.45").total_ms, first.low_ms, 0.01 * run.total_ms);
    EXPECT_GT(first.low_ms, 1.1 * run.total_ms);
    EXPECT_LT(certainty->low_ms, std::min(first.low_ms, first.high_ms));
    EXPECT_GT(certainty->high_ms, std::max(first.low_ms, first.high_ms));
}

TEST(Certainty, KeysOnGpusAreSortedByOurKernelsWhoseConstantsCount) {
    auto const machine = load_machine("dgx-h100", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request;
    request.algorithm = "rmg-rotated";
    request.config.key_count = 100'000'000;
    request.gpus = {0, 1};
    request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    auto const simulation = simulate(*machine, request);
    ASSERT_TRUE(simulation);
    auto const certainty = certainty_of(*machine, *simulation);
    ASSERT_TRUE(certainty);
    auto const counts = [&certainty](std::string const& name) {
        return std::ranges::any_of(certainty->effects, [&name](AssumptionEffect const& effect) {
            return effect.constant.name == name;
        });
    };
    EXPECT_TRUE(counts("launch.histogram")); // 128 sorts per GPU
    EXPECT_TRUE(counts("fast.launch"));
    EXPECT_FALSE(counts("plan.gpu"));
    EXPECT_FALSE(counts("key32.histogram"));
}

TEST(Certainty, WhatIsGivenIsNotDoubted) {
    Predicted const run = predicted("dgx-h100", "upi.efficiency=0.7");
    CertaintyOptions options;
    auto const doubted = certainty_of(run.machine, run.simulation, options);
    options.given = {"upi.efficiency"};
    auto const given = certainty_of(run.machine, run.simulation, options);
    ASSERT_TRUE(doubted && given);
    EXPECT_EQ(std::ranges::count_if(given->effects,
                                    [](AssumptionEffect const& effect) {
                                        return effect.constant.name == "upi.efficiency";
                                    }),
              0);
    EXPECT_LT(given->high_ms - given->low_ms, doubted->high_ms - doubted->low_ms);
}

TEST(Certainty, ConstantsThatTakeNoPartWidenNothing) {
    // `fast` has some twenty assumed constants, each credited with the kernels' time, but a sort
    // uses only a few of them.
    Predicted const run = predicted("pcie-4gpu", {}, "sample-sort-paper");
    auto const certainty = certainty_of(run.machine, run.simulation);
    ASSERT_TRUE(certainty);
    EXPECT_GT(certainty->low_ms, 0.7 * run.total_ms);
    EXPECT_LT(certainty->high_ms, 1.3 * run.total_ms);
    for (AssumptionEffect const& effect : certainty->effects) {
        EXPECT_TRUE(effect.simulated) << effect.constant.name;
        EXPECT_NE(effect.constant.name, "fast.leaf64"); // keys have 32 bits
    }
    // Without simulation, they share that time.
    CertaintyOptions options;
    options.simulated_max = 0;
    auto const estimated = certainty_of(run.machine, run.simulation, options);
    ASSERT_TRUE(estimated);
    EXPECT_GT(estimated->low_ms, 0.6 * run.total_ms);
    EXPECT_LT(estimated->high_ms, 1.45 * run.total_ms);
}

TEST(Certainty, LargeGraphsAreNotSimulatedAgain) {
    Predicted const run = predicted("dgx-h100");
    CertaintyOptions options;
    options.tasks_max = run.simulation.schedule.graph.tasks.size() - 1;
    auto const estimated = certainty_of(run.machine, run.simulation, options);
    ASSERT_TRUE(estimated);
    ASSERT_FALSE(estimated->effects.empty());
    for (AssumptionEffect const& effect : estimated->effects) {
        EXPECT_FALSE(effect.simulated);
    }
    // The estimate is close to simulated effects, except that it counts link kinds in series
    // separately.
    auto const simulated = certainty_of(run.machine, run.simulation);
    ASSERT_TRUE(simulated);
    EXPECT_NEAR(estimated->high_ms, simulated->high_ms, 0.07 * run.total_ms);
}

TEST(Certainty, OfManyGpusNoAssumptionPromisesLessThanNothing) {
    auto const machine = load_machine("gb200-nvl72", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request;
    request.algorithm = "rmg-fast";
    request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    request.config.key_count = 2'000'000'000;
    for (std::uint32_t gpu = 0; gpu < machine->platform.gpus.size(); ++gpu) {
        request.gpus.push_back(gpu);
    }
    auto const simulation = simulate(*machine, std::move(request));
    ASSERT_TRUE(simulation);
    double const total_ms = to_milliseconds(simulation->timeline.makespan);
    auto const certainty = certainty_of(*machine, *simulation);
    ASSERT_TRUE(certainty);
    EXPECT_GT(certainty->low_ms, 0.3 * total_ms);
    EXPECT_LT(certainty->high_ms, 2.0 * total_ms);
    for (AssumptionEffect const& effect : certainty->effects) {
        EXPECT_GT(std::min(effect.low_ms, effect.high_ms), 0.0) << effect.constant.name;
        // Planning and launches of the published program are not part of `fast`.
        EXPECT_FALSE(effect.constant.name.starts_with("plan.")) << effect.constant.name;
        EXPECT_NE(effect.constant.name, "launch.scatter");
    }
}

TEST(Certainty, AScatterThatMayTakePlaceWidensTheInterval) {
    Predicted run = predicted("dgx-a100");
    auto const sure = certainty_of(run.machine, run.simulation);
    double const added_ms = 0.2 * run.total_ms;
    run.simulation.schedule.uncertain_scatters = {{2, 0.2, from_seconds(added_ms * 1e-3)}};
    auto const uncertain = certainty_of(run.machine, run.simulation);
    ASSERT_TRUE(sure && uncertain);
    EXPECT_EQ(uncertain->low_ms, sure->low_ms);
    EXPECT_GT(uncertain->high_ms, run.total_ms + added_ms);
}

TEST(Certainty, AnotherSampleIsPartOfTheInterval) {
    // On three GPUs about two thirds of all samples place every bucket in one pass.
    auto const machine = load_machine("hgx-h200", std::nullopt);
    ASSERT_TRUE(machine);
    int uncertain = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
        SimulationRequest request;
        request.algorithm = "sample-sort-fast";
        request.config.key_type = KeyType::u64;
        request.config.key_count = 300'000'000;
        request.input = KeyPlace{KeyPlace::Kind::devices, 0};
        request.gpus = {0, 1, 2};
        request.seed = seed;
        auto const simulation = simulate(*machine, request);
        ASSERT_TRUE(simulation);
        auto const& other = simulation->schedule.other_draw;
        if (!other) {
            continue;
        }
        ++uncertain;
        EXPECT_LT(other->chance, 0.5);
        request.config.parameters["sample-seed"] = other->seed;
        request.sample = DrawnSample::of_seed;
        auto const drawn = simulate(*machine, request);
        ASSERT_TRUE(drawn);
        EXPECT_NE(drawn->schedule.passes == 1, simulation->schedule.passes == 1);
        auto const certainty = certainty_of(*machine, *simulation);
        ASSERT_TRUE(certainty);
        double const other_ms = to_milliseconds(drawn->timeline.makespan);
        EXPECT_GT(other_ms, certainty->low_ms);
        EXPECT_LT(other_ms, certainty->high_ms);
    }
    EXPECT_GT(uncertain, 0);
}

TEST(ModelError, IsThatOfTheClassByMachineSortAndNeeds) {
    auto const model = [](std::string const& platform, std::string const& algorithm) {
        Predicted const run = predicted(platform, {}, algorithm);
        return model_error(run.machine, run.simulation);
    };
    auto const expect = [&model](std::string const& platform,
                                 std::string const& algorithm,
                                 std::string const& name) {
        ModelError const found = model(platform, algorithm);
        EXPECT_EQ(found.error_class, name);
        EXPECT_FALSE(found.is_assumed);
        EXPECT_NEAR(found.error, held_out_coverage(name).error, 0.0005);
    };
    expect("ac922", "rmg-paper", "published on ac922");
    expect("dgx-a100", "rmg-paper", "published on dgx-a100");
    expect("hgx-h200", "rmg-paper", "published on other machines");
    expect("hgx-h200", "rmg-fast", "ours on several GPUs");
    expect("hgx-h200", "sample-sort-fast", "sample sort on several GPUs");
    expect("ac922", "p2p-merge", "merge sort from the host");
    expect("ac922", "cpu-paradis", "radix sort on a CPU");
    expect("ac922", "cpu-gnu-parallel", "merge sort on a CPU");
    ModelError const network = model("cluster:dgx-h100:2", "rmg-paper");
    EXPECT_EQ(network.error_class, "published on other machines over a network");
    EXPECT_TRUE(network.is_assumed);
    EXPECT_GT(network.error, model("dgx-h100", "rmg-paper").error);
    ModelError const other_cpu = model("hgx-h200", "cpu-paradis");
    EXPECT_TRUE(other_cpu.is_assumed);
    EXPECT_EQ(other_cpu.error_class, "radix sort on a CPU with other keys, threads or cores");
    double const measured_error = held_out_coverage("radix sort on a CPU").error;
    EXPECT_NEAR(other_cpu.error, std::hypot(0.5, measured_error), 1e-3);
}

Simulation on_gpus(Machine const& machine, std::vector<std::uint32_t> gpus) {
    SimulationRequest request;
    request.config.key_count = 2'000'000'000;
    request.gpus = std::move(gpus);
    auto simulation = simulate(machine, std::move(request));
    EXPECT_TRUE(simulation);
    return std::move(*simulation);
}

/// The turning point of one constant in a list.
TurningPoint point_of(std::vector<TurningPoint> const& points, std::string_view constant) {
    auto const point = std::ranges::find(
        points, constant, [](TurningPoint const& each) { return each.constant.name; });
    EXPECT_NE(point, points.end()) << constant;
    return point != points.end() ? *point : TurningPoint{};
}

TEST(Certainty, ARankingNamesTheAssumptionThatTurnsIt) {
    auto const machine = load_machine("dgx-h100", std::nullopt);
    ASSERT_TRUE(machine);
    // Four GPUs of one socket beat all eight only while the link between the sockets is slow.
    Simulation const four = on_gpus(*machine, {0, 1, 2, 3});
    Simulation const eight = on_gpus(*machine, {0, 1, 2, 3, 4, 5, 6, 7});
    ASSERT_LT(four.timeline.makespan, eight.timeline.makespan);
    Machine wide = *machine;
    for (LinkKind& kind : wide.platform.link_kinds) {
        kind.efficiency = kind.name == "upi" ? 0.79 : kind.efficiency;
    }
    auto const points = turning_points(wide, four, eight);
    ASSERT_TRUE(points);
    // The total of both directions of a GPU's link is a turning point, too.
    TurningPoint const point = point_of(*points, "upi.efficiency");
    EXPECT_TRUE(point.upwards);
    // On either side the order is as reported.
    auto const four_wins = [&](double efficiency) {
        auto const there =
            with_assumption(*machine, "upi.efficiency=" + std::to_string(efficiency));
        EXPECT_TRUE(there);
        return on_gpus(*there, {0, 1, 2, 3}).timeline.makespan <
               on_gpus(*there, {0, 1, 2, 3, 4, 5, 6, 7}).timeline.makespan;
    };
    EXPECT_TRUE(four_wins(point.value - 0.01));
    EXPECT_FALSE(four_wins(point.value + 0.01));
    EXPECT_FALSE(point.beyond);
    // It is outside the range around the shipped value, but listed.
    auto const points_far = turning_points(*machine, four, eight);
    ASSERT_TRUE(points_far);
    TurningPoint const far = point_of(*points_far, "upi.efficiency");
    EXPECT_TRUE(far.beyond);
    EXPECT_GT(far.value, far.constant.high());
    EXPECT_NEAR(far.value, point.value, 0.01);
    // No assumed constant changes the order of GPUs of one socket and a subset of them.
    auto const none = turning_points(*machine, four, on_gpus(*machine, {0}));
    ASSERT_TRUE(none);
    EXPECT_TRUE(none->empty());
}

} // namespace
} // namespace keyswap::simulator
