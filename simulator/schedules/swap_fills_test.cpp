#include "simulator/schedules/swap_fills.hpp"

#include "model/keys/plain_source.hpp"
#include "model/sorts/rmg/planner.hpp"

#include <gtest/gtest.h>

#include <array>
#include <utility>

namespace keyswap::simulator {
namespace {

/// The rounds of keys that come in runs of one image each.
RoundPlan rounds_of(std::initializer_list<std::pair<std::uint64_t, std::uint64_t>> runs,
                    ValueType values = ValueType::none) {
    std::vector<std::uint64_t> images;
    for (auto const& [count, image] : runs) {
        images.insert(images.end(), count, image);
    }
    model::PlainSource source(images);
    model::SortConfig config;
    config.key_count = images.size();
    config.gpu_count = 2;
    config.value_type = values;
    model::Plan const plan = model::plan_rmg_sort(config, source);
    constexpr std::array whole = {16};
    constexpr int none_as_one = 0;
    RoundPlan rounds = swap_rounds(plan, whole, none_as_one);
    fill_one_values(rounds, plan);
    return rounds;
}

constexpr std::uint64_t least = filled_keys_min;

// The border cuts the value 7, of which GPU 0 has a whole chunk and GPU 1 half of one. GPU 0 takes
// GPU 1's keys of 3, and keeps as many of its own as it gives to GPU 1.
TEST(SwapFills, AreTheKeysOfOneValueThatOneGpuHasForAnother) {
    RoundPlan const rounds = rounds_of({{2 * least, 7}, {least, 3}, {least, 7}});
    ASSERT_EQ(rounds.rounds.size(), 1U);
    SwapRound const& round = rounds.rounds.front();
    EXPECT_EQ(round.keys, (std::vector<std::uint64_t>{least, least, least, least}));
    EXPECT_EQ(round.filled, (std::vector<std::uint64_t>{0, least, least, 0}));
    EXPECT_EQ(round.fills, (std::vector<int>{1, 1}));
    EXPECT_EQ(round.sent(1), 0U);
}

TEST(SwapFills, LeaveFewKeysOfAValueToCopies) {
    // GPU 1 has one key too few of 3, and one of 4 in its place.
    RoundPlan const rounds = rounds_of({{2 * least, 7}, {least - 1, 3}, {1, 4}, {least, 7}});
    SwapRound const& round = rounds.rounds.front();
    EXPECT_EQ(round.keys, (std::vector<std::uint64_t>{least, least, least, least}));
    EXPECT_EQ(round.filled, (std::vector<std::uint64_t>{0, least, 0, 0}));
    EXPECT_EQ(round.sent(2), least);
}

TEST(SwapFills, AreNoneOfKeysWithValues) {
    RoundPlan const rounds = rounds_of({{2 * least, 7}, {least, 3}, {least, 7}}, ValueType::bits32);
    EXPECT_TRUE(rounds.rounds.front().filled.empty());
    EXPECT_EQ(rounds.rounds.front().sent(1), least);
}

} // namespace
} // namespace keyswap::simulator
