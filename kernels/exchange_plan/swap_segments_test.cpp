#include "kernels/exchange_plan/swap_segments.hpp"

#include "kernels/device/gpu_test.hpp"
#include "kernels/exchange_plan/pair_swap.hpp"
#include "kernels/exchange_plan/segment_example_test.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <map>

namespace keyswap::kernels {
namespace {

using gpu_test::bits_below_first;
using gpu_test::bucket_of;
using gpu_test::SegmentExample;

/// GPU 0 owns 0x00 and the lower three of five digits of 0x01; GPU 1 the rest of it and 0x02.
SegmentExample refined_example() {
    return {{bucket_of({1, 0x00}, {0, 0}, {3, 1}),
             bucket_of({2, 0x0100}, {0, 0}, {1, 2}),
             bucket_of({2, 0x0101}, {0, 0}, {0, 1}),
             bucket_of({2, 0x0105}, {0, 0}, {2, 0}),
             bucket_of({2, 0x0180}, {1, 1}, {1, 1}),
             bucket_of({2, 0x01ff}, {1, 1}, {0, 4}),
             bucket_of({1, 0x02}, {1, 1}, {3, 1})},
            {10, 0, 2}};
}

TEST(SwapSegments, JoinBucketsThatBeginWithOneDigitOnOneGpu) {
    SegmentExample const example = refined_example();
    static constexpr int one_round[] = {16};
    RoundPlan const plan =
        make_round_plan(example.buckets, example.ownership, example.chunk_counts, 10, one_round);
    auto const segments =
        round_segments(plan, example.buckets, example.ownership, bits_below_first);
    ASSERT_EQ(segments.size(), 4U);
    EXPECT_EQ(segments[1].first_bucket, 1U);
    EXPECT_EQ(segments[1].end_bucket, 4U);
    EXPECT_EQ(segments[1].count, 6U);
    EXPECT_EQ(segments[1].begin, 4U);
    EXPECT_EQ(segments[1].images, (ImageRange{0x100, 0x105}));
    EXPECT_EQ(segments[1].sent[0].count, 3U);
    EXPECT_EQ(segments[1].sent[1].count, 3U);
    EXPECT_EQ(segments[2].first_bucket, 4U);
    EXPECT_EQ(segments[2].gpu, GpuId{1});
    EXPECT_EQ(segments[2].begin, 0U);
    // 0x100 and 0x105 differ in their last three bits.
    auto const arrived = arrived_segments(segments, GpuId{0}, 0);
    ASSERT_EQ(arrived.size(), 2U);
    EXPECT_EQ(arrived[0].end_bit, 8);
    EXPECT_EQ(arrived[1].end_bit, 3);
}

TEST(SwapSegments, ARoundEndsThem) {
    SegmentExample const example = refined_example();
    RoundPlan const plan = example.rounds(10);
    for (SwapSegment const& segment :
         round_segments(plan, example.buckets, example.ownership, bits_below_first)) {
        RoundRange const& range = plan.ranges[segment.gpu.value][segment.round];
        EXPECT_GE(segment.first_bucket, range.first_bucket);
        EXPECT_LE(segment.end_bucket, range.end_bucket);
    }
}

/// Scatters every key by labels, moves it by copies, and checks its destination.
void expect_keys_to_arrive(SegmentExample const& example,
                           RoundPlan const& plan,
                           std::vector<SwapSegment> const& segments,
                           std::uint64_t capacity) {
    auto const gpus = static_cast<std::uint32_t>(example.ownership.size());
    using Places = std::vector<std::uint64_t>; // the lowest image of a key's bucket, plus 1
    std::vector<Places> sent(gpus, Places(capacity, 0));
    std::vector<Places> arrived(gpus, Places(capacity, 0));
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        auto const labels = scatter_labels(segments, gpu);
        EXPECT_TRUE(std::ranges::is_sorted(labels, {}, &ScatterLabel::lowest));
        std::map<std::uint64_t, std::uint64_t> taken;
        for (FinalBucket const& bucket : example.buckets) {
            auto const after =
                std::ranges::upper_bound(labels, bucket.images.lowest, {}, &ScatterLabel::lowest);
            ASSERT_NE(after, labels.begin());
            std::uint64_t const offset = std::prev(after)->offset;
            for (std::uint64_t k = 0; k < bucket.parts[gpu].count; ++k) {
                std::uint64_t& place = sent[gpu].at(offset + taken[offset]++);
                ASSERT_EQ(place, 0U);
                place = static_cast<std::uint64_t>(bucket.images.lowest) + 1;
            }
        }
    }
    for (CopyRecord const& copy : plan.copies) {
        for (std::uint64_t k = 0; k < copy.count; ++k) {
            std::uint64_t const key = sent[copy.source.value].at(copy.source_offset + k);
            ASSERT_NE(key, 0U);
            arrived[copy.destination.value].at(copy.destination_offset + k) = key;
        }
    }
    for (std::uint32_t gpu = 0; gpu < gpus; ++gpu) {
        std::uint64_t placed = 0;
        for (std::uint32_t round = 0; round < plan.rounds; ++round) {
            auto const list = arrived_segments(segments, GpuId{gpu}, round);
            EXPECT_TRUE(std::ranges::is_sorted(list, {}, &ArrivedSegment::begin));
            for (ArrivedSegment const& segment : list) {
                EXPECT_EQ(segment.begin, placed);
                placed += segment.count;
                auto const own = std::ranges::find_if(segments, [&](SwapSegment const& each) {
                    return each.gpu == GpuId{gpu} && each.round == round &&
                           each.begin == segment.begin;
                });
                ASSERT_NE(own, segments.end());
                for (ArrivedPart const& part : segment.parts) {
                    for (std::uint64_t k = 0; k < part.count; ++k) {
                        auto const& buffer = part.buffer == KeyBuffer::output ? sent : arrived;
                        std::uint64_t const key = buffer[gpu].at(part.offset + k);
                        EXPECT_GT(key, own->images.lowest);
                        EXPECT_LE(key, own->images.highest + 1);
                    }
                }
            }
        }
        EXPECT_EQ(placed, example.ownership[gpu].count);
    }
}

TEST(SwapSegments, EveryKeyArrivesInItsSegment) {
    SegmentExample const example = refined_example();
    for (std::uint64_t const capacity : {10U, 13U}) {
        RoundPlan const plan = example.rounds(capacity);
        expect_keys_to_arrive(
            example,
            plan,
            round_segments(plan, example.buckets, example.ownership, bits_below_first),
            capacity);
    }
}

TEST(SwapSegments, OfACutBucketHaveOneLabelAndOneSegmentAGpu) {
    // Sixteen equal keys between others are shared by GPUs 0, 1 and 2; GPU 0's part of them moves
    // to other GPUs only.
    SegmentExample const example{{bucket_of({1, 0x00}, {0, 0}, {2, 3, 0}),
                                  bucket_of({2, 0x0130}, {0, 0}, {0, 1, 2}),
                                  bucket_of({2, 0x0140}, {0, 2}, {0, 9, 7}),
                                  bucket_of({2, 0x0141}, {2, 2}, {4, 1, 0}),
                                  bucket_of({2, 0x0142}, {2, 2}, {0, 0, 1})},
                                 {10, 0, 3}};
    auto const pairs = pair_copies(bucket_copies(example.buckets, example.ownership), 3);
    RoundPlan const plan = single_round_plan(pairs, example.buckets, example.ownership);
    auto const segments =
        pair_segments(pairs, example.buckets, example.ownership, bits_below_first);
    std::vector<std::size_t> first;
    first.reserve(segments.size());
    for (SwapSegment const& segment : segments) {
        first.push_back(segment.first_bucket);
    }
    EXPECT_EQ(first, (std::vector<std::size_t>{0, 1, 2, 2, 2, 3}));
    EXPECT_EQ(scatter_labels(segments, 1),
              (std::vector<ScatterLabel>{{0, 0}, {0x130, 3}, {0x140, 4}, {0x141, 13}}));
    expect_keys_to_arrive(example, plan, segments, 24);
}

TEST(SwapSegments, InHalvesHaveTheKeysOfEitherSide) {
    SegmentExample const example{{bucket_of({1, 0x00}, {0, 0}, {3, 1}),
                                  bucket_of({1, 0x01}, {0, 0}, {2, 2}),
                                  bucket_of({1, 0x02}, {1, 1}, {3, 5})},
                                 {8, 0, 2}};
    RoundPlan const plan = example.rounds(8);
    std::vector<std::uint64_t> halves(2 * 512);
    // By source, digit and next bit: all of 0x00 in the lower half; GPU 0 has no keys of 0x02.
    halves[0] = 3;
    halves[2] = 1;
    halves[3] = 1;
    halves[5] = 3;
    halves[512] = 1;
    halves[512 + 3] = 2;
    halves[512 + 4] = 4;
    halves[512 + 5] = 1;
    auto const whole = round_segments(plan, example.buckets, example.ownership, bits_below_first);
    auto const segments = halved(whole, halves, bits_below_first);
    ASSERT_EQ(segments.size(), 5U);
    EXPECT_EQ(segments[0].images, (ImageRange{0x000, 0x07f}));
    EXPECT_EQ(segments[1].images, (ImageRange{0x100, 0x17f}));
    EXPECT_EQ(segments[2].images, (ImageRange{0x180, 0x1ff}));
    EXPECT_EQ(segments[2].begin, segments[1].begin + 1);
    EXPECT_EQ(segments[2].count, 3U);
    EXPECT_EQ(segments[2].sent[1].offset, whole[1].sent[1].offset);
    EXPECT_EQ(segments[2].arrived[0].offset, whole[1].arrived[0].offset + 1);
    EXPECT_EQ(segments[4].count, 4U);
    EXPECT_EQ(segments[4].sent[1].offset, whole[2].sent[1].offset + 4);
    std::uint64_t keys = 0;
    for (SwapSegment const& segment : segments) {
        keys += segment.count;
    }
    EXPECT_EQ(keys, 16U);
}

} // namespace
} // namespace keyswap::kernels
