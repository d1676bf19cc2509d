#include "simulator/calibration/hold_out.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace keyswap::simulator {
namespace {

/// Two sizes on three sets of GPUs, so that a fit is quick.
std::vector<Measurement> few_runs() {
    auto runs = read_measurements(KEYSWAP_MEASUREMENTS "/ac922.csv");
    EXPECT_TRUE(runs);
    std::erase_if(*runs, [](Measurement const& run) {
        return run.distribution != "uniform" || run.key_type != "uint32" ||
               run.key_count < 1'000'000'000 || run.key_count > 2'000'000'000 ||
               run.gpus.size() < 2;
    });
    return *runs;
}

Machine ac922() {
    auto machine = load_machine("ac922", std::nullopt);
    EXPECT_TRUE(machine);
    return *machine;
}

TEST(HoldOut, EveryClassIsPredictedFromTheOthers) {
    CalibrationOptions options;
    options.rounds = 1;
    auto const classes = hold_out(ac922(), few_runs(), HoldOutBy::size, options, {});
    ASSERT_TRUE(classes);
    ASSERT_EQ(classes->size(), 2U);
    EXPECT_EQ(classes->front().name, "1000000000");
    for (HeldOutClass const& one : *classes) {
        EXPECT_GT(one.configurations, 0U);
        EXPECT_LT(one.phases.front().worst, 0.1) << one.name;
    }
}

TEST(HoldOut, ConstantsThatOneClassAloneShowsAreNamed) {
    CalibrationOptions options;
    options.rounds = 1;
    auto const classes = hold_out(ac922(), few_runs(), HoldOutBy::gpus, options, {});
    ASSERT_TRUE(classes);
    auto const four = std::ranges::find(*classes, "0,1,2,3", &HeldOutClass::name);
    ASSERT_NE(four, classes->end());
    // GPUs 0 and 2 determine the X-Bus, but only with four GPUs do two of them share it.
    EXPECT_NE(std::ranges::find(four->not_held_out, "xbus.efficiency_shared_write"),
              four->not_held_out.end());
}

TEST(HoldOut, AWrongConstantShowsWhereNothingElseCanCorrectIt) {
    Machine machine = ac922();
    machine.platform.link_kinds.back().efficiency_shared_write = 0.3;
    CalibrationOptions options;
    options.rounds = 1;
    auto const classes = hold_out(machine, few_runs(), HoldOutBy::gpus, options, {});
    ASSERT_TRUE(classes);
    auto const four = std::ranges::find(*classes, "0,1,2,3", &HeldOutClass::name);
    ASSERT_NE(four, classes->end());
    EXPECT_GT(four->phases.front().worst, 0.15);
}

/// A class is predicted from the others alone: its own duration affects its error, and nothing else
/// of it.
TEST(HoldOut, TimesOfAClassDoNotReachItsPrediction) {
    CalibrationOptions options;
    options.rounds = 1;
    auto runs = few_runs();
    auto const before = hold_out(ac922(), runs, HoldOutBy::size, options, {});
    ASSERT_TRUE(before);
    for (Measurement& run : runs) {
        bool const slower = run.key_count == 1'000'000'000;
        run.total_ms *= slower ? 2 : 1;
    }
    auto const after = hold_out(ac922(), runs, HoldOutBy::size, options, {});
    ASSERT_TRUE(after);
    auto const total = [](HeldOutClass const& one) {
        return *std::ranges::find(one.phases, "total", &ErrorSummary::phase);
    };
    // Half of the measured time: predicted / measured - 1 = -1/2, up to the earlier errors.
    EXPECT_NEAR(total(after->front()).median, 0.5, total(before->front()).worst);
    EXPECT_EQ(after->front().configurations, before->front().configurations);
}

TEST(HoldOut, AnUnknownKindOfClassIsRefused) {
    EXPECT_TRUE(parse_hold_out("distribution"));
    auto const wrong = parse_hold_out("colour");
    ASSERT_FALSE(wrong);
    EXPECT_NE(wrong.error().remedy.find("gpus"), std::string::npos);
}

} // namespace
} // namespace keyswap::simulator
