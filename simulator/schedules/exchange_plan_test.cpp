#include "simulator/schedules/exchange_plan.hpp"

#include "model/sorts/rmg/planner.hpp"
#include "model/testing/plain_source.hpp"

#include <gtest/gtest.h>

#include <array>
#include <initializer_list>
#include <utility>

namespace keyswap::simulator {
namespace {

constexpr std::array one_round = {16};
constexpr std::array halves = {8, 8};
constexpr int none_as_one = 0;

struct Runs {
    std::vector<std::uint64_t> images;
    model::PlainSource source{images};
    model::Plan plan;

    /// \param runs pairs of a number of keys and their image
    explicit Runs(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> runs)
        : images(images_of(runs)) {
        model::SortConfig config;
        config.key_count = images.size();
        config.gpu_count = 2;
        plan = model::plan_rmg_sort(config, source);
    }
    [[nodiscard]] kernels::SwapRounds rounds(std::span<int const> shares, int bits) const {
        return exchange_rounds(plan, final_buckets(plan), shares, bits);
    }

  private:
    static std::vector<std::uint64_t>
    images_of(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> runs) {
        std::vector<std::uint64_t> images;
        for (auto const& [count, image] : runs) {
            images.insert(images.end(), count, image);
        }
        return images;
    }
};

TEST(ExchangePlan, HasTheKeysOfEachSegment) {
    // First digit 0 spans the border; pass 2 places its second digits.
    Runs const keys({{30, 0x00010000}, {20, 0x00020000}, {30, 0x00030000}, {20, 0x05000000}});
    ASSERT_EQ(keys.plan.pass_count(), 2);
    ExchangePlan const one =
        exchange_of(keys.rounds(one_round, keys.plan.layout.bits_below(1)), std::nullopt);
    ASSERT_EQ(one.sorted.size(), 3U);
    EXPECT_EQ(one.sorted[0].count, 50U);
    EXPECT_EQ(one.sorted[0].end_bit, 18); // second digits 1 and 2 differ in two bits
    EXPECT_EQ(one.sorted[2].images.lowest, 0x05000000U);
    EXPECT_EQ(one.arrived(GpuId{1}, 0).size(), 2U);
    EXPECT_EQ(one.keys_of_round(GpuId{1}, 0), 50U);
}

TEST(ExchangePlan, KeepsTheKeysOfASharedValueTogetherInTheScatter) {
    Runs const keys({{10, 1}, {80, 7}, {10, 9}});
    kernels::SwapRounds const rounds = keys.rounds(halves, keys.plan.layout.bits_below(1));
    EXPECT_EQ(rounds.plan.rounds, 1U);
    EXPECT_EQ(rounds.segments.size(), 4U); // 10 and 40 keys on GPU 0, 40 and 10 on GPU 1
    EXPECT_EQ(scatter_labels(rounds.segments).total(), (std::vector<std::uint64_t>{10, 80, 10}));
}

TEST(ExchangePlan, CountsHalvesOfTheFirstDigit) {
    Runs keys({{40, 0x01000000}, {10, 0x01ffffff}, {50, 0x02000000}});
    ASSERT_EQ(keys.plan.pass_count(), 1);
    int const bits = keys.plan.layout.bits_below(1);
    kernels::SwapRounds rounds = keys.rounds(one_round, bits);
    rounds.segments = kernels::halved(rounds.segments, half_counts(keys.plan, keys.source), bits);
    EXPECT_EQ(scatter_labels(rounds.segments).total(), (std::vector<std::uint64_t>{40, 10, 50}));
    ExchangePlan const exchange = exchange_of(std::move(rounds), std::nullopt);
    EXPECT_EQ(exchange.sorted[1].images.lowest, 0x01800000U);
    EXPECT_EQ(exchange.sorted[1].end_bit, 23);
}

TEST(ExchangePlan, HasAllPiecesOfABucketInOneRound) {
    // GPU 0 owns 60 keys of the first digit 1, in three pieces, and 40 of 2 and 3.
    Runs const keys({{20, 0x01000000},
                     {20, 0x01010000},
                     {20, 0x01020000},
                     {20, 0x02000000},
                     {20, 0x03000000},
                     {50, 0x04000000},
                     {50, 0x05000000}});
    kernels::DigitTree tree({32, 8});
    ASSERT_TRUE(tree.add({1, 1}));
    std::vector<std::uint64_t> counts(2 * tree.entries());
    for (std::uint64_t const image : keys.images) {
        std::size_t const source = image < 0x04000000U ? 0 : 1;
        auto const digit = static_cast<std::uint32_t>(image >> 24U);
        counts[source * tree.entries() + tree.entry(0, digit)] += 1;
        if (digit == 1) {
            counts[tree.entry(1, static_cast<std::uint32_t>(image >> 16U) & 0xffU)] += 1;
        }
    }
    auto const pieces = kernels::swap_pieces(tree, counts, final_buckets(keys.plan), 256);
    ASSERT_EQ(pieces.size(), 7U);
    // A quarter of its keys ends in the second piece of digit 1, and half of them in the third,
    // which an earlier simulator put into the second round.
    constexpr std::array quarters = {4, 4, 4, 4};
    kernels::SwapRounds const four =
        exchange_rounds(keys.plan, kernels::buckets_of(pieces), quarters, none_as_one);
    std::vector<std::uint32_t> of_piece;
    for (kernels::SwapSegment const& segment : four.segments) {
        of_piece.push_back(segment.round);
    }
    EXPECT_EQ(of_piece, (std::vector<std::uint32_t>{0, 0, 0, 2, 3, 0, 2}));
}

constexpr std::uint64_t least = kernels::filled_keys_min;

// The border cuts value 7; GPU 0 holds a chunk full of it, GPU 1 half a chunk. GPU 0 receives GPU
// 1's keys of value 3, and keeps as many of its own as it gives to GPU 1.
TEST(ExchangePlan, FillsKeysOfOneValueThatOneGpuHasForAnother) {
    Runs const keys({{2 * least, 7}, {least, 3}, {least, 7}});
    ExchangePlan const exchange = exchange_of(keys.rounds(one_round, none_as_one), least);
    EXPECT_TRUE(exchange.sends.copies.empty());
    ASSERT_EQ(exchange.sends.fills.size(), 2U);
    EXPECT_EQ(exchange.sends.fills[0].image, 3U);
    EXPECT_EQ(exchange.sends.fills[1].count, least);
}

TEST(ExchangePlan, SendsFewKeysOfAValueAndAllThatHaveValues) {
    // GPU 1 has one key of value 3 too few, and one of value 4 instead.
    Runs const keys({{2 * least, 7}, {least - 1, 3}, {1, 4}, {least, 7}});
    ExchangePlan const exchange = exchange_of(keys.rounds(one_round, none_as_one), least);
    ASSERT_EQ(exchange.sends.copies.size(), 1U);
    EXPECT_EQ(exchange.sends.copies[0].count, least);
    EXPECT_EQ(exchange_of(keys.rounds(one_round, none_as_one), std::nullopt).sends.copies.size(),
              2U);
}

} // namespace
} // namespace keyswap::simulator
