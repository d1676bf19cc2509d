#include "model/distributions/key_generator.hpp"
#include "model/partition/bucket_rule.hpp"
#include "model/partition/multisplit.hpp"
#include "model/partition/multisplit_method.hpp"
#include "model/partition/partition_positions.hpp"
#include "model/partition/plan_steps.hpp"
#include "model/partition/replay_steps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace keyswap::model {
namespace {

using Keys = std::vector<std::uint32_t>;
using Labels = std::vector<std::uint32_t>;

Keys moved(Keys const& keys, std::vector<std::uint64_t> const& positions) {
    Keys result(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        result[positions[i]] = keys[i];
    }
    return result;
}

Labels labels_by(BucketFunction const& function,
                 Keys const& keys,
                 std::span<std::uint32_t const> column = {}) {
    return labels_of(BucketEvaluator(function, 32, column), std::span<std::uint32_t const>(keys));
}

// GPU Multisplit, Fig. 1; the printed input lacks an element, restored from the outputs.
TEST(Multisplit, GivesTheOutputsOfThePapersFirstFigure) {
    Keys const input{9, 12, 4, 11, 16, 3, 5, 2, 1, 10, 13, 6, 15, 8, 14, 7};
    Keys const by_prime{11, 3, 5, 2, 13, 7, 9, 12, 4, 16, 1, 10, 6, 15, 8, 14};
    Keys const by_range{4, 3, 5, 2, 1, 9, 12, 11, 10, 13, 6, 8, 7, 16, 15, 14};
    SplitterBuckets const ranges{{{0, 6}, {0, 14}}, {false, false}, Tie::right};
    for (MultisplitMethod const& method : multisplit_methods()) {
        if (method.stability == Stability::unstable) {
            continue;
        }
        EXPECT_EQ(moved(input, method.positions(labels_by({2, PrimeBuckets{}}, input), 2)),
                  by_prime)
            << method.name;
        if (takes(method, 3)) {
            EXPECT_EQ(
                moved(input, method.positions(labels_by(splitter_function(ranges), input), 3)),
                by_range)
                << method.name;
        }
    }
}

/// One function of every rule that supports m buckets.
std::vector<BucketFunction> functions_of(std::uint32_t buckets) {
    std::vector<BucketFunction> functions{
        delta_function(32, buckets), {buckets, HashBuckets{42}}, {buckets, LabelBuckets{}}};
    SplitterBuckets right;
    for (std::uint32_t i = 1; i < buckets; ++i) {
        right.splitters.push_back({0, i * (0xffffffffU / buckets)});
    }
    right.equality.assign(right.splitters.size(), false);
    SplitterBuckets left = right;
    right.tie = Tie::right;
    functions.push_back(splitter_function(left));
    functions.push_back(splitter_function(right));
    if (buckets % 2 == 1) {
        left.splitters.resize(buckets / 2);
        left.equality.assign(buckets / 2, true);
        functions.push_back(splitter_function(left));
    }
    if (std::has_single_bit(buckets) && buckets > 1) {
        functions.push_back(digit_function(5, std::countr_zero(buckets)));
    }
    if (buckets == 2) {
        functions.push_back({2, PrimeBuckets{}});
    }
    return functions;
}

TEST(Multisplit, StableMethodsAgreeForAllRulesAndNumbersOfBuckets) {
    constexpr std::size_t n = 20'011;
    for (char const* const distribution : {"uniform", "zipf"}) {
        KeyRequest const request{distribution, {}, KeyType::u32, n, 5};
        auto const generator = KeyGenerator::make(request).value();
        Keys keys(n);
        generator.images(0, std::span(keys));
        for (std::uint32_t const buckets : {1U, 2U, 3U, 10U, 32U, 33U, 100U, 256U, 4096U}) {
            Labels column(n);
            std::ranges::generate(column, [&, i = 0U]() mutable { return i++ * 7 % buckets; });
            for (BucketFunction const& function : functions_of(buckets)) {
                ASSERT_TRUE(validated(function, 32)) << rule_name(function.rule);
                Labels const labels = labels_by(function, keys, column);
                auto const expected = partition_positions(labels, buckets);
                for (MultisplitMethod const& method : multisplit_methods()) {
                    if (!takes(method, buckets)) {
                        continue;
                    }
                    auto const positions = method.positions(labels, buckets);
                    if (method.stability == Stability::stable) {
                        EXPECT_TRUE(positions == expected)
                            << method.name << ' ' << rule_name(function.rule) << ' ' << buckets;
                    } else {
                        EXPECT_EQ(moved(labels, positions), moved(labels, expected));
                    }
                }
            }
        }
    }
}

TEST(Multisplit, TheUnstableMethodIsAPermutationAndReallyUnstable) {
    Labels const labels(100'000, 0);
    auto const& atomic = **find_multisplit_method("atomic");
    auto positions = atomic.positions(labels, 1);
    EXPECT_FALSE(std::ranges::is_sorted(positions));
    std::ranges::sort(positions);
    for (std::size_t i = 0; i < positions.size(); ++i) {
        ASSERT_EQ(positions[i], i);
    }
}

TEST(Multisplit, DistinguishesWrongPositions) {
    Labels const labels{1, 0, 1, 0};
    std::vector<std::uint64_t> const starts{0, 2};
    auto const wrong = [&](std::vector<std::uint64_t> const& positions,
                           Stability stability = Stability::stable) {
        return find_position_error(positions, labels, starts, stability);
    };
    EXPECT_EQ(wrong({2, 0, 3, 1}), "");
    EXPECT_EQ(wrong({3, 0, 2, 1}), "key 0 of bucket 1 goes to 3, not in input order");
    EXPECT_EQ(wrong({3, 0, 2, 1}, Stability::unstable), "");
    EXPECT_EQ(wrong({2, 0, 2, 1}, Stability::unstable),
              "key 2 of bucket 1 goes to 2, where another key lies");
    EXPECT_EQ(wrong({1, 0, 2, 3}), "key 0 of bucket 1 goes to 1, outside its bucket");
    EXPECT_EQ(wrong({2, 0, 4, 1}), "key 2 of bucket 1 goes to 4, outside its bucket");
}

TEST(Multisplit, SizesAroundWindowsAndTilesAreRight) {
    for (std::size_t const n :
         {0U,   1U,    31U,   32U,   33U,   127U,  128U,  129U,  895U,  896U,
          897U, 1023U, 1024U, 1025U, 1663U, 1664U, 1665U, 7679U, 7680U, 7681U}) {
        for (std::uint32_t const buckets : {1U, 2U, 5U, 31U, 32U, 257U}) {
            Labels labels(n);
            std::ranges::generate(labels, [&, i = 0U]() mutable {
                return static_cast<std::uint32_t>(mix_bits(i++) % buckets);
            });
            for (Labels const& some : {labels, Labels(n, buckets - 1)}) {
                auto const expected = partition_positions(some, buckets);
                for (MultisplitMethod const& method : multisplit_methods()) {
                    if (takes(method, buckets) && method.stability == Stability::stable) {
                        ASSERT_TRUE(method.positions(some, buckets) == expected)
                            << method.name << " n=" << n << " m=" << buckets;
                    }
                }
            }
        }
    }
}

TEST(Multisplit, MethodsThatTakeFewerBucketsSayWhichOnesTakeThem) {
    auto const refused = check_buckets(**find_multisplit_method("warp"), 33);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message(),
              "method warp: takes at most 32 buckets, not 33 (these take them: fused, block, "
              "reduced-bit, recursive-split, bit-split, iterative-split, atomic)");
    EXPECT_FALSE(check_buckets(**find_multisplit_method("split1"), 3));
    EXPECT_FALSE(find_multisplit_method("worp"));
}

TEST(Steps, MultisplitSortAndEveryOtherScheduleSortStably) {
    constexpr std::size_t n = 10'007;
    KeyRequest const request{"zipf", {}, KeyType::u32, n, 5};
    auto const generator = KeyGenerator::make(request).value();
    Keys input(n);
    generator.images(0, std::span(input));
    std::vector<std::uint32_t> order(n);
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t i) { return input[i]; });
    SortConfig config;
    config.key_count = n;
    config.value_type = ValueType::bits32;
    std::vector<std::vector<int>> schedules{{6, 6, 6, 6, 8}, {8, 8, 8, 8}};
    for (int digit = 1; digit <= 8; ++digit) {
        schedules.push_back(even_digits(32, digit));
    }
    for (auto const& widths : schedules) {
        Keys keys = input;
        Keys values(n);
        std::iota(values.begin(), values.end(), 0U);
        Keys key_scratch(n);
        Keys value_scratch(n);
        auto const functions = digit_steps(widths);
        StepPlan const plan = plan_steps(config, functions, std::span<std::uint32_t const>(input));
        auto const replay =
            replay_steps(plan,
                         KeyArrays<std::uint32_t, std::uint32_t>{keys, values},
                         KeyArrays<std::uint32_t, std::uint32_t>{key_scratch, value_scratch});
        EXPECT_FALSE(replay.violation);
        EXPECT_TRUE(values == order) << widths.size() << " steps";
        EXPECT_EQ(replay.outputs.size(), widths.size());
    }
}

TEST(Steps, AStepIsStableByItsDigitSoThatLowBitsStaySorted) {
    Keys keys{0x21, 0x12, 0x11, 0x02, 0x22, 0x01};
    Keys scratch(keys.size());
    SortConfig config;
    config.key_count = keys.size();
    std::vector<BucketFunction> const low{digit_function(0, 4)};
    auto const plan = plan_steps(config, low, std::span<std::uint32_t const>(keys));
    auto const replay = replay_steps(plan,
                                     KeyArrays<std::uint32_t, NoValue>{keys, {}},
                                     KeyArrays<std::uint32_t, NoValue>{scratch, {}});
    EXPECT_EQ(keys, (Keys{0x21, 0x11, 0x01, 0x12, 0x02, 0x22}));
    EXPECT_EQ(plan.steps.front().counts[2], 3U);
    EXPECT_EQ(replay.outputs.back(), sequence_digest(KeyArrays<std::uint32_t, NoValue>{keys, {}}));
}

TEST(Steps, KeysThatAreNotThePlansAreFound) {
    Keys keys{1, 2, 3};
    Keys scratch(3);
    SortConfig config;
    config.key_count = 3;
    auto const functions = digit_steps(even_digits(32, 8));
    auto const plan = plan_steps(config, functions, std::span<std::uint32_t const>(keys));
    keys[1] = 200;
    auto const replay = replay_steps(plan,
                                     KeyArrays<std::uint32_t, NoValue>{keys, {}},
                                     KeyArrays<std::uint32_t, NoValue>{scratch, {}});
    ASSERT_TRUE(replay.violation);
    EXPECT_EQ(replay.violation->pass, 1);
}

TEST(Steps, DigitWidthsAreEvenButForTheRest) {
    EXPECT_EQ(even_digits(32, 7), (std::vector{7, 7, 7, 7, 4}));
    EXPECT_EQ(even_digits(32, 6, 8), (std::vector{6, 6, 6, 6, 8})) << "Knights Ferry";
    EXPECT_EQ(even_digits(32, 7, 8), (std::vector{7, 7, 7, 3, 8}));
    EXPECT_EQ(even_digits(64, 8, 8), even_digits(64, 8));
}

} // namespace
} // namespace keyswap::model
