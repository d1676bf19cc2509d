#include "simulator/study/faster_size.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <random>
#include <set>
#include <string>

namespace keyswap::simulator {
namespace {

struct GrowingSort {
    std::string platform;
    SimulationRequest request;
    std::uint64_t more_keys = 0; ///< up to twice as many
};

constexpr std::array platforms{
    "ac922", "dgx-a100", "dgx-h100", "hgx-h200", "pcie-4gpu", "gb200-nvl72", "cluster:dgx-h100:2"};

/// An arbitrary platform and sort, 1e6 to 4e9 keys on up to eight GPUs in any order.
GrowingSort random_case(std::mt19937_64& random) {
    auto const below = [&random](std::size_t end) { return random() % end; };
    auto const part = [&random] { return static_cast<double>(random() % 1'000'000) / 1e6; };
    constexpr std::array types{KeyType::u32, KeyType::u64, KeyType::f64, KeyType::i32};
    constexpr std::array distributions{"uniform",
                                       "zipf",
                                       "normal",
                                       "sorted",
                                       "reverse-sorted",
                                       "nearly-sorted",
                                       "zero",
                                       "skewed",
                                       "binomial",
                                       "staggered"};
    GrowingSort made{platforms[below(platforms.size())], {}, 0};
    auto const kinds = schedule_kinds();
    ScheduleKind const& kind = *kinds[below(kinds.size())];
    made.request.algorithm = full_name(kind.choice());
    made.request.config.key_type = types[below(types.size())];
    made.request.distribution = distributions[below(distributions.size())];
    GpuCounts const gpus = kind.choice().algorithm->gpus;
    auto const machine = load_machine(made.platform, std::nullopt);
    std::vector<std::uint32_t> numbers(machine ? machine->platform.gpus.size() : 0);
    std::iota(numbers.begin(), numbers.end(), 0U);
    std::ranges::shuffle(numbers, random);
    numbers.resize(gpus == GpuCounts::none  ? 0
                   : gpus == GpuCounts::one ? 1
                                            : std::min<std::size_t>(numbers.size(), 1 + below(8)));
    made.request.gpus = numbers;
    if (below(2) == 0) {
        made.request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    }
    double const keys = 1e6 * std::pow(4000.0, part());
    made.request.config.key_count = static_cast<std::uint64_t>(keys);
    made.more_keys = static_cast<std::uint64_t>(keys * (1.02 + 0.98 * part()));
    return made;
}

/// Fraction of the total outside of phases and launches.
double unexplained(Timeline const& timeline) {
    std::vector<TimeSpan> spans{timeline.launching};
    for (PhaseSpan const& phase : timeline.phases) {
        spans.push_back(phase.span);
    }
    std::ranges::sort(spans, {}, [](TimeSpan const& span) { return span.begin; });
    SimTime end;
    SimTime outside;
    for (TimeSpan const& span : spans) {
        outside += span.begin > end ? span.begin - end : SimTime{};
        end = std::max(end, span.end);
    }
    outside += timeline.makespan - end;
    return to_milliseconds(outside) / std::max(to_milliseconds(timeline.makespan), 1e-9);
}

TEST(FasterSize, IsNamedWhereOurKernelsBeginToSortByLevels) {
    auto const machine = load_machine("hgx-h200", std::nullopt);
    ASSERT_TRUE(machine);
    SimulationRequest request;
    request.algorithm = "rmg-fast";
    request.config.key_type = KeyType::u64;
    request.gpus = {0};
    request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    request.config.key_count = 8'000'000; // levels are used from 2^23 on
    auto const fewer = simulate(*machine, request);
    ASSERT_TRUE(fewer);
    auto const faster = find_faster_size(*machine, *fewer);
    ASSERT_TRUE(faster);
    EXPECT_GE(faster->key_count, 1U << 23U);
    EXPECT_LT(faster->total_ms, 0.98 * to_milliseconds(fewer->timeline.makespan));
    request.config.key_count = 20'000'000;
    auto const more = simulate(*machine, request);
    ASSERT_TRUE(more);
    EXPECT_FALSE(find_faster_size(*machine, *more));
}

GrowingSort growing_sort(std::string platform,
                         std::string algorithm,
                         std::string distribution,
                         KeyType type,
                         std::vector<std::uint32_t> gpus,
                         std::uint64_t keys,
                         std::uint64_t more_keys) {
    GrowingSort made{std::move(platform), {}, more_keys};
    made.request.algorithm = std::move(algorithm);
    made.request.distribution = std::move(distribution);
    made.request.config.key_type = type;
    made.request.config.key_count = keys;
    made.request.gpus = std::move(gpus);
    made.request.input = KeyPlace{KeyPlace::Kind::devices, 0};
    return made;
}

/// Found among 2,000 random cases, 2026-11-27: samples of binomial keys took one pass or two
/// depending on the draw for each size.
TEST(FasterSize, HowManyPassesASampleTakesDoesNotDependOnTheNumberOfKeys) {
    for (GrowingSort made : {growing_sort("ac922",
                                          "sample-sort-fast",
                                          "binomial",
                                          KeyType::i32,
                                          {2, 1, 0, 3},
                                          1'807'143,
                                          1'884'568),
                             growing_sort("hgx-h200",
                                          "sample-sort-fast",
                                          "binomial",
                                          KeyType::i32,
                                          {5, 1, 7, 2},
                                          366'568'566,
                                          405'939'944),
                             growing_sort("ac922",
                                          "sample-sort-fast",
                                          "binomial",
                                          KeyType::i32,
                                          {3, 0, 1, 2},
                                          16'390'666,
                                          24'931'079)}) {
        auto const machine = load_machine(made.platform, std::nullopt);
        ASSERT_TRUE(machine);
        auto const fewer = simulate(*machine, made.request);
        made.request.config.key_count = made.more_keys;
        auto const more = simulate(*machine, made.request);
        ASSERT_TRUE(fewer && more);
        EXPECT_EQ(fewer->schedule.passes, more->schedule.passes) << made.platform;
        EXPECT_GE(to_milliseconds(more->timeline.makespan),
                  0.98 * to_milliseconds(fewer->timeline.makespan))
            << made.platform;
    }
}

/// Found with them: only the leftover keys of four chunks of reverse-sorted keys need merging, yet
/// each merge reads the whole chunk.
TEST(FasterSize, IsNamedWhereChunksOfOneSizeNeedNoMerge) {
    GrowingSort const made = growing_sort("gb200-nvl72",
                                          "p2p-merge",
                                          "reverse-sorted",
                                          KeyType::u64,
                                          {10, 2, 6, 60},
                                          1'726'773,
                                          2'743'160);
    auto const machine = load_machine(made.platform, std::nullopt);
    ASSERT_TRUE(machine);
    auto const fewer = simulate(*machine, made.request);
    ASSERT_TRUE(fewer);
    auto const faster = find_faster_size(*machine, *fewer);
    ASSERT_TRUE(faster);
    EXPECT_EQ(faster->key_count, 1'726'776U); // the next multiple of 4
}

/// For other random cases: --gtest_random_seed=N.
TEST(FasterSize, MoreKeysTakeLongerOrTheSizeIsNamedAndPhasesExplainTheTotal) {
    constexpr std::uint64_t cases = 100;
    int compared = 0;
    int named = 0;
    std::set<std::string> sorts;
    std::set<std::string> machines;
    for (std::uint64_t number = 1; number <= cases; ++number) {
        auto const seed = number + cases * static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed));
        std::mt19937_64 random(seed);
        GrowingSort made = random_case(random);
        auto const machine = load_machine(made.platform, std::nullopt);
        ASSERT_TRUE(machine);
        auto const fewer = simulate(*machine, made.request);
        made.request.config.key_count = made.more_keys;
        auto const more = simulate(*machine, made.request);
        if (!fewer || !more) {
            continue; // does not fit, or needs other keys or GPUs
        }
        ++compared;
        sorts.insert(made.request.algorithm);
        machines.insert(made.platform);
        auto const what = [&] {
            std::string text = "seed " + std::to_string(seed) + ": " + made.request.algorithm +
                               " on " + made.platform + ", " + made.request.distribution + ", " +
                               std::string(to_string(made.request.config.key_type)) + ", " +
                               std::to_string(fewer->request.config.key_count) + " and " +
                               std::to_string(made.more_keys) + " keys, GPUs";
            for (std::uint32_t const gpu : made.request.gpus) {
                text += " " + std::to_string(gpu);
            }
            return text + (made.request.input ? ", on GPUs" : "");
        };
        EXPECT_LE(unexplained(fewer->timeline), 0.02) << what();
        if (to_milliseconds(more->timeline.makespan) >=
            0.98 * to_milliseconds(fewer->timeline.makespan)) {
            continue;
        }
        ++named;
        EXPECT_TRUE(find_faster_size(*machine, *fewer).has_value())
            << what() << ": " << to_milliseconds(fewer->timeline.makespan) << " and "
            << to_milliseconds(more->timeline.makespan) << " ms";
    }
    EXPECT_GE(compared, 50);
    EXPECT_LE(named, compared / 10);
    EXPECT_EQ(machines.size(), platforms.size());
    EXPECT_GE(sorts.size(), 7U);
}

} // namespace
} // namespace keyswap::simulator
