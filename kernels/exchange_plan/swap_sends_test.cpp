#include "kernels/exchange_plan/swap_sends.hpp"

#include "kernels/device/gpu_test.hpp"
#include "kernels/exchange_plan/pair_swap.hpp"
#include "kernels/exchange_plan/segment_example_test.hpp"

#include <algorithm>
#include <array>
#include <gtest/gtest.h>
#include <map>

namespace keyswap::kernels {
namespace {

using gpu_test::bits_below_first;
using gpu_test::bucket_of;
using gpu_test::SegmentExample;

struct Swap {
    RoundPlan plan;
    std::vector<SwapSegment> segments;
};

constexpr std::array one_round{16};

Swap in_rounds(SegmentExample const& example,
               std::uint64_t capacity,
               std::span<int const> sixteenths = one_round) {
    RoundPlan plan = make_round_plan(
        example.buckets, example.ownership, example.chunk_counts, capacity, sixteenths);
    auto segments = round_segments(plan, example.buckets, example.ownership, bits_below_first);
    return {std::move(plan), std::move(segments)};
}

Swap by_pairs(SegmentExample const& example) {
    auto const gpus = static_cast<std::uint32_t>(example.ownership.size());
    auto const pairs = pair_copies(bucket_copies(example.buckets, example.ownership), gpus);
    return {single_round_plan(pairs, example.buckets, example.ownership),
            pair_segments(pairs, example.buckets, example.ownership, bits_below_first)};
}

/// GPU 1 sends GPU 0 keys of 0x00, equal keys 0x0105 and keys of 0x02; GPU 0 sends one value only.
SegmentExample two_values() {
    return {{bucket_of({1, 0x00}, {0, 0}, {2, 3}),
             bucket_of({2, 0x0105}, {0, 0}, {1, 4}),
             bucket_of({1, 0x02}, {0, 0}, {0, 1}),
             bucket_of({2, 0x0307}, {1, 1}, {8, 2})},
            {11, 0, 2}};
}

TEST(SwapSends, AreACopyLessWhatItsDestinationFills) {
    // GPU 1's buffer of 11 keys holds its own 2 from offset 1 on, then 3, 4 and 1 for GPU 0, which
    // follow 3 local keys there. GPU 0 has these 3, then 8 for GPU 1.
    Swap const swap = in_rounds(two_values(), 11);
    SwapSends const sends = swap_sends(swap.plan, swap.segments, 4);
    EXPECT_EQ(sends.copies,
              (std::vector<CopyRecord>{{GpuId{1}, 3, GpuId{0}, 3, 3, 0},
                                       {GpuId{1}, 10, GpuId{0}, 10, 1, 0}}));
    EXPECT_EQ(sends.fills,
              (std::vector<RoundFill>{{GpuId{0}, 6, 4, 0x0105}, {GpuId{1}, 0, 8, 0x0307}}));
}

TEST(SwapSends, FillNothingOfFewKeys) {
    Swap const swap = in_rounds(two_values(), 11);
    SwapSends const sends = swap_sends(swap.plan, swap.segments, 5);
    EXPECT_EQ(sends.copies, (std::vector<CopyRecord>{{GpuId{1}, 3, GpuId{0}, 3, 8, 0}}));
    EXPECT_EQ(sends.fills, (std::vector<RoundFill>{{GpuId{1}, 0, 8, 0x0307}}));
}

TEST(SwapSends, AreAllCopiesBetweenGpusWhereNothingIsToBeFilled) {
    Swap const swap = in_rounds(two_values(), 11);
    SwapSends const sends = swap_sends(swap.plan, swap.segments, std::nullopt);
    EXPECT_EQ(sends.copies,
              (std::vector<CopyRecord>{{GpuId{0}, 3, GpuId{1}, 0, 8, 0},
                                       {GpuId{1}, 3, GpuId{0}, 3, 8, 0}}));
    EXPECT_TRUE(sends.fills.empty());
}

TEST(SwapSends, OfNeighboursFromSeveralSourcesAreFilledAsOne) {
    SegmentExample const example{{bucket_of({2, 0x0105}, {0, 0}, {2, 5, 6})}, {13, 0, 3}};
    Swap const swap = in_rounds(example, 13);
    SwapSends const sends = swap_sends(swap.plan, swap.segments, 1);
    EXPECT_TRUE(sends.copies.empty());
    EXPECT_EQ(sends.fills, (std::vector<RoundFill>{{GpuId{0}, 2, 11, 0x0105}}));
}

using Place = std::pair<std::uint32_t, std::uint64_t>; ///< a GPU and an offset in its buffer

/// The source location of each key that changes GPUs.
std::map<Place, Place> origins(std::span<CopyRecord const> copies) {
    std::map<Place, Place> from;
    for (CopyRecord const& copy : copies) {
        for (std::uint64_t k = 0; k < copy.count && copy.source != copy.destination; ++k) {
            Place const to{copy.destination.value, copy.destination_offset + k};
            EXPECT_TRUE(from.emplace(to, Place{copy.source.value, copy.source_offset + k}).second);
        }
    }
    return from;
}

/// Sent keys must arrive as planned; all other moved keys must have the value that is filled.
void expect_all_to_arrive(Swap const& swap, std::uint64_t keys_min) {
    std::map<Place, Place> const planned = origins(swap.plan.copies);
    SwapSends const sends = swap_sends(swap.plan, swap.segments, keys_min);
    std::map<Place, Place> const sent = origins(sends.copies);
    std::map<Place, std::uint64_t> filled;
    for (RoundFill const& fill : sends.fills) {
        for (std::uint64_t k = 0; k < fill.count; ++k) {
            EXPECT_TRUE(filled.emplace(Place{fill.gpu.value, fill.offset + k}, fill.image).second);
        }
    }
    EXPECT_EQ(sent.size() + filled.size(), planned.size());
    for (auto const& [to, from] : sent) {
        ASSERT_TRUE(planned.contains(to));
        EXPECT_EQ(planned.at(to), from);
    }
    for (SwapSegment const& segment : swap.segments) {
        for (std::uint32_t source = 0; source < segment.arrived.size(); ++source) {
            KeyRange const& part = segment.arrived[source];
            bool const is_filled = source != segment.gpu.value && part.count >= keys_min &&
                                   segment.images.is_one_value();
            for (std::uint64_t k = 0; k < part.count; ++k) {
                auto const image = filled.find({segment.gpu.value, part.offset + k});
                ASSERT_EQ(image != filled.end(), is_filled);
                ASSERT_TRUE(!is_filled || image->second == segment.images.lowest);
            }
        }
    }
}

TEST(SwapSends, AndFillsAreAllThatArrives) {
    for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        gpu_test::TestRandom random{seed};
        std::vector<FinalBucket> buckets;
        for (std::uint64_t i = 0; i < 30; ++i) {
            auto const gpu = static_cast<std::uint32_t>(i / 10);
            BucketPrefix const prefix =
                random.next() % 2 == 0 ? BucketPrefix{1, i} : BucketPrefix{2, i << 8U | 5U};
            buckets.push_back(bucket_of(
                prefix, {gpu, gpu}, {random.next() % 5, 1 + random.next() % 5, random.next() % 5}));
        }
        SegmentExample const example{std::move(buckets), {100, 0, 3}};
        static constexpr int three[] = {4, 4, 8};
        for (std::uint64_t const keys_min : {0U, 2U, 9U}) {
            expect_all_to_arrive(in_rounds(example, 200, three), keys_min);
            expect_all_to_arrive(by_pairs(example), keys_min);
        }
    }
}

TEST(SwapSends, LeaveOutWhatEachGpuTakesOfACutBucket) {
    // GPUs 0, 1 and 2 share sixteen equal keys; GPU 1 holds nine of them, GPU 2 seven.
    SegmentExample const example{{bucket_of({1, 0x00}, {0, 0}, {2, 3, 0}),
                                  bucket_of({2, 0x0140}, {0, 2}, {0, 9, 7}),
                                  bucket_of({1, 0x02}, {2, 2}, {4, 1, 0})},
                                 {10, 0, 3}};
    Swap const swap = by_pairs(example);
    for (std::uint64_t const keys_min : {1U, 3U, 5U}) {
        expect_all_to_arrive(swap, keys_min);
    }
    // In sorted order they are keys 5 to 21 of 26. Up to the border at 10, GPU 0 receives five of
    // GPU 1's, which keeps four and, up to the border at 20, receives six of GPU 2's.
    std::vector<RoundFill> const fills = swap_sends(swap.plan, swap.segments, 1).fills;
    ASSERT_EQ(fills.size(), 2U);
    EXPECT_EQ(fills[0].gpu, GpuId{0});
    EXPECT_EQ(fills[0].count, 5U);
    EXPECT_EQ(fills[1].gpu, GpuId{1});
    EXPECT_EQ(fills[1].count, 6U);
}

TEST(SwapSends, FollowTheOtherSourceBeforeThemAtTheirDestination) {
    auto const copy = [](int round, std::uint32_t source, std::uint32_t destination) {
        return CopyRecord{GpuId{source}, 0, GpuId{destination}, 0, 1, round};
    };
    RoundPlan plan;
    plan.rounds = 2;
    plan.gpu_count = 3;
    plan.copies = {copy(0, 0, 1),
                   copy(0, 1, 2),
                   copy(0, 2, 0),
                   copy(0, 0, 2),
                   copy(0, 1, 0),
                   copy(0, 2, 2), // an own part
                   copy(1, 0, 1),
                   copy(1, 1, 2),
                   copy(1, 0, 2),
                   copy(1, 2, 1)};
    SwapSends const sends = swap_sends(plan, {}, std::nullopt);
    std::optional<GpuId> const none;
    EXPECT_EQ(sends.after,
              (std::vector<std::optional<GpuId>>{none,
                                                 none,
                                                 none,
                                                 GpuId{1},
                                                 GpuId{2},
                                                 none, // the previous source was the same
                                                 GpuId{0},
                                                 GpuId{1},
                                                 GpuId{0}}));
}

TEST(SwapSends, OfPairsTakeTurnsAsInRounds) {
    // Every source has keys for every other GPU. Ordered by source, GPU 3 would start with GPU 0,
    // to which GPU 1 and GPU 2 send last.
    SegmentExample const example{{bucket_of({1, 0x00}, {0, 0}, {1, 1, 1, 1}),
                                  bucket_of({1, 0x01}, {1, 1}, {1, 1, 1, 1}),
                                  bucket_of({1, 0x02}, {2, 2}, {1, 1, 1, 1}),
                                  bucket_of({1, 0x03}, {3, 3}, {1, 1, 1, 1})},
                                 {4, 0, 4}};
    std::vector<std::pair<std::uint32_t, std::uint32_t>> order;
    SwapSends const sends = swap_sends(by_pairs(example).plan, {}, std::nullopt);
    for (CopyRecord const& copy : sends.copies) {
        order.emplace_back(copy.source.value, copy.destination.value);
    }
    using Turns = decltype(order);
    EXPECT_EQ(order,
              (Turns{{0, 1},
                     {1, 2},
                     {2, 3},
                     {3, 0}, //
                     {0, 2},
                     {1, 3},
                     {2, 0},
                     {3, 1}, //
                     {0, 3},
                     {1, 0},
                     {2, 1},
                     {3, 2}}));
}

} // namespace
} // namespace keyswap::kernels
