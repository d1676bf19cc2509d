#include "simulator/study/cliff.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <random>
#include <string>

namespace keyswap::simulator {
namespace {

struct GrowingSort {
    std::string platform;
    SimulationRequest request;
    std::uint64_t more_keys = 0; ///< up to twice as many
};

/// A shipped platform, a sort that runs there, 1e6 to 4e9 keys on two or more GPUs.
GrowingSort random_case(std::mt19937_64& random) {
    auto const below = [&random](std::size_t end) { return random() % end; };
    auto const part = [&random] { return static_cast<double>(random() % 1'000'000) / 1e6; };
    constexpr std::array platforms{
        "ac922", "dgx-a100", "dgx-h100", "hgx-h200", "pcie-4gpu", "gb200-nvl72"};
    constexpr std::array sorts{"rmg-fast",
                               "rmg-rotated",
                               "rmg-paper",
                               "sample-sort-fast",
                               "p2p-merge",
                               "het-merge",
                               "one-gpu"};
    constexpr std::array types{KeyType::u32, KeyType::u64, KeyType::f64};
    constexpr std::array distributions{"uniform", "zipf", "normal", "sorted"};
    GrowingSort made{platforms[below(platforms.size())], {}, 0};
    made.request.algorithm = sorts[below(sorts.size())];
    made.request.config.key_type = types[below(types.size())];
    made.request.distribution = distributions[below(distributions.size())];
    std::size_t const gpus = made.request.algorithm == "one-gpu" ? 1 : 1U << (1 + below(2));
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        made.request.gpus.push_back(gpu);
    }
    if (below(2) == 0) {
        made.request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    }
    double const keys = 1e6 * std::pow(4000.0, part());
    made.request.config.key_count = static_cast<std::uint64_t>(keys);
    made.more_keys = static_cast<std::uint64_t>(keys * (1.02 + 0.98 * part()));
    return made;
}

TEST(Cliff, IsNamedWhereOurKernelsBeginToSortByLevels) {
    auto const machine = load_machine("hgx-h200", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request;
    request.algorithm = "rmg-fast";
    request.config.key_type = KeyType::u64;
    request.gpus = {0};
    request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    request.config.key_count = 8'000'000; // levels are taken from 2^23 on
    auto const fewer = simulate(*machine, request);
    ASSERT_TRUE(fewer);
    auto const cliff = cliff_above(*machine, *fewer);
    ASSERT_TRUE(cliff);
    EXPECT_GE(cliff->key_count, 1U << 23U);
    EXPECT_LT(cliff->total_ms, 0.98 * to_milliseconds(fewer->timeline.makespan));
    request.config.key_count = 20'000'000;
    auto const more = simulate(*machine, request);
    ASSERT_TRUE(more);
    EXPECT_FALSE(cliff_above(*machine, *more));
}

TEST(Cliff, MoreKeysTakeLongerOrTheSizeIsNamed) {
    constexpr std::uint64_t seeds = 60;
    int compared = 0;
    int named = 0;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        std::mt19937_64 random(seed);
        GrowingSort made = random_case(random);
        auto const machine = load_machine(made.platform, std::nullopt);
        ASSERT_TRUE(machine);
        auto const fewer = simulate(*machine, made.request);
        made.request.config.key_count = made.more_keys;
        auto const more = simulate(*machine, made.request);
        if (!fewer || !more) {
            continue; // does not fit, or a sort that wants other keys or GPUs
        }
        ++compared;
        if (to_milliseconds(more->timeline.makespan) >=
            0.98 * to_milliseconds(fewer->timeline.makespan)) {
            continue;
        }
        ++named;
        EXPECT_TRUE(cliff_above(*machine, *fewer).has_value())
            << "seed " << seed << ": " << made.request.algorithm << " on " << made.platform << ", "
            << fewer->request.config.key_count << " keys take longer than " << made.more_keys;
    }
    EXPECT_GE(compared, 35);
    EXPECT_LE(named, compared / 20);
}

} // namespace
} // namespace keyswap::simulator
