#include "kernels/exchange_plan/swap_plan.hpp"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <set>

namespace keyswap::kernels {
namespace {

FinalBucket bucket(BucketPrefix prefix,
                   std::uint64_t begin,
                   GpuRange gpus,
                   std::vector<KeyRange> const& parts) {
    std::uint64_t end = begin;
    for (KeyRange const& part : parts) {
        end += part.count;
    }
    PlacementState const state =
        gpus.first == gpus.last ? PlacementState::placed : PlacementState::cut;
    return {{prefix, begin, end, GpuId{gpus.first}, GpuId{gpus.last}, state}, parts};
}

// Two GPUs with 10 keys each; GPU 0 holds 4 + 6 + 0 keys of buckets 0, 1, 2 and GPU 1 2 + 5 + 3.
// Bucket 1 spans border 10 and has been cut there: [6, 17) = 4 keys for GPU 0, 7 for GPU 1.
constexpr PlacementRule two_gpus{10, 0, 2};

std::vector<FinalBucket> cut_example() {
    return {bucket({1, 0}, 0, {0, 0}, {{0, 4}, {0, 2}}),
            bucket({4, 1}, 6, {0, 1}, {{4, 6}, {2, 5}}),
            bucket({1, 2}, 17, {1, 1}, {{10, 0}, {7, 3}})};
}

TEST(SwapPlan, OwnershipFollowsFirstBucketsAndCuts) {
    auto const ownership = ownership_of(cut_example(), two_gpus, 20);
    EXPECT_EQ(ownership, (std::vector<OwnershipRecord>{{GpuId{0}, 0, 10}, {GpuId{1}, 10, 10}}));
}

TEST(SwapPlan, AGpuWithoutABucketOwnsNothing) {
    PlacementRule const rule{10, 9, 3};
    std::vector<FinalBucket> const all_on_last = {
        bucket({1, 0}, 0, {0, 0}, {{0, 10}, {0, 1}, {0, 0}}),
        bucket({1, 1}, 11, {2, 2}, {{10, 0}, {1, 9}, {0, 10}})};
    auto const ownership = ownership_of(all_on_last, rule, 30);
    EXPECT_EQ(
        ownership,
        (std::vector<OwnershipRecord>{{GpuId{0}, 0, 11}, {GpuId{1}, 11, 0}, {GpuId{2}, 11, 19}}));
}

TEST(SwapPlan, SourcesFillACutBucketsDestinationsInAscendingOrder) {
    auto const buckets = cut_example();
    auto const copies = bucket_copies(buckets, ownership_of(buckets, two_gpus, 20));
    EXPECT_EQ(copies,
              (std::vector<CopyRecord>{{GpuId{0}, 0, GpuId{0}, 0, 4},
                                       {GpuId{1}, 0, GpuId{0}, 4, 2},
                                       {GpuId{0}, 4, GpuId{0}, 6, 4}, // up to GPU 0's border
                                       {GpuId{0}, 8, GpuId{1}, 0, 2}, // the rest of its part
                                       {GpuId{1}, 2, GpuId{1}, 2, 5},
                                       {GpuId{1}, 7, GpuId{1}, 7, 3}}));
}

TEST(SwapPlan, RotatedCopiesStartWithTheNextGpuAndMergeNeighbours) {
    auto const buckets = cut_example();
    auto const copies =
        rotated_copies(bucket_copies(buckets, ownership_of(buckets, two_gpus, 20)), 2);
    EXPECT_EQ(copies,
              (std::vector<CopyRecord>{{GpuId{0}, 8, GpuId{1}, 0, 2},
                                       {GpuId{0}, 0, GpuId{0}, 0, 4},
                                       {GpuId{0}, 4, GpuId{0}, 6, 4},
                                       {GpuId{1}, 0, GpuId{0}, 4, 2},
                                       {GpuId{1}, 2, GpuId{1}, 2, 8}})); // 5 + 3 are a single copy
}

TEST(SwapPlan, NoTwoGpusSendToOneDestinationInTheSameTurn) {
    std::uint32_t const gpus = 5;
    std::vector<CopyRecord> all_pairs;
    for (std::uint32_t source = 0; source < gpus; ++source) {
        for (std::uint32_t destination = 0; destination < gpus; ++destination) {
            all_pairs.push_back(
                {GpuId{source}, destination * 10ULL, GpuId{destination}, source * 10ULL, 10});
        }
    }
    auto const copies = rotated_copies(all_pairs, gpus);
    ASSERT_EQ(copies.size(), gpus * gpus);
    for (std::uint32_t turn = 0; turn < gpus; ++turn) {
        std::set<GpuId> destinations;
        for (std::uint32_t source = 0; source < gpus; ++source) {
            destinations.insert(copies[source * gpus + turn].destination);
        }
        EXPECT_EQ(destinations.size(), gpus);
    }
}

/// A bucket of 32-bit keys after passes over digits of 8 bits.
OwnedBucket
owned_bucket(GpuId gpu, BucketPrefix bucket, std::uint64_t offset, std::uint64_t count) {
    return {gpu, bucket, offset, count, images_of_digits(bucket, {32, 8})};
}

TEST(SwapPlan, SortsABucketOnTheBitsThatNoPassHasRead) {
    std::vector<OwnedBucket> const owned = {owned_bucket(GpuId{0}, {1, 7}, 0, 500),
                                            owned_bucket(GpuId{0}, {2, 0x801}, 500, 500),
                                            owned_bucket(GpuId{0}, {4, 0x80200000}, 1000, 500)};
    auto const ranges = sort_ranges(owned, 100);
    EXPECT_EQ(ranges,
              (std::vector<SortRangeRecord>{{GpuId{0}, 0, 500, 0, 24},
                                            {GpuId{0}, 500, 500, 0, 16},
                                            {GpuId{0}, 1000, 500, 0, 0}}));
}

TEST(SwapPlan, FusesNeighboursOfOnePassByTheirFullPrefixes) {
    // Prefixes 0x01ff and 0x0200 of pass 2 differ in bit 9 of the prefix, although their last
    // digits differ in all bits: bit 16 + 9, so the range ends at 26.
    std::vector<OwnedBucket> const owned = {owned_bucket(GpuId{0}, {2, 0x01ff}, 0, 10),
                                            owned_bucket(GpuId{0}, {2, 0x0200}, 10, 10),
                                            owned_bucket(GpuId{0}, {2, 0x0201}, 20, 90),
                                            owned_bucket(GpuId{0}, {1, 3}, 110, 5)};
    auto const ranges = sort_ranges(owned, 100);
    EXPECT_EQ(ranges,
              (std::vector<SortRangeRecord>{
                  {GpuId{0}, 0, 20, 0, 26}, {GpuId{0}, 20, 90, 0, 16}, {GpuId{0}, 110, 5, 0, 24}}));
}

TEST(SwapPlan, FusesOnlyBelowTheThresholdAndNeverAcrossGpus) {
    std::vector<OwnedBucket> const owned = {owned_bucket(GpuId{0}, {1, 0}, 0, 50),
                                            owned_bucket(GpuId{0}, {1, 1}, 50, 50),
                                            owned_bucket(GpuId{1}, {1, 2}, 0, 1)};
    EXPECT_EQ(sort_ranges(owned, 100).size(), 3U); // 100 is not below 100
    EXPECT_EQ(sort_ranges(owned, 101).size(), 2U);
}

TEST(SwapPlan, SortsAWholeGpuAtOnceAboveOneHundredAndTwentyEightGroups) {
    std::vector<OwnedBucket> owned;
    for (std::uint64_t i = 0; i < 128; ++i) {
        owned.push_back(owned_bucket(GpuId{0}, {1, i}, i * 10, 10));
    }
    EXPECT_EQ(sort_ranges(owned, 0).size(), 128U);
    owned.push_back(owned_bucket(GpuId{0}, {1, 128}, 1280, 10));
    auto const ranges = sort_ranges(owned, 0);
    EXPECT_EQ(ranges, (std::vector<SortRangeRecord>{{GpuId{0}, 0, 1290, 0, 32}}));
}

TEST(SwapPlan, NeighboursOfOneValueEachNeedNoSort) {
    std::vector<OwnedBucket> owned = {{GpuId{0}, {1, 1}, 0, 5, {7, 7}},
                                      {GpuId{0}, {1, 3}, 5, 5, {9, 9}}};
    EXPECT_EQ(sort_ranges(owned, 100), (std::vector<SortRangeRecord>{{GpuId{0}, 0, 10, 0, 0}}));
    owned.push_back({GpuId{0}, {1, 4}, 10, 5, {10, 12}}); // 7 = 0b0111 to 12 = 0b1100
    EXPECT_EQ(sort_ranges(owned, 100), (std::vector<SortRangeRecord>{{GpuId{0}, 0, 15, 0, 4}}));
}

TEST(SwapPlan, ANarrowLastDigitLeavesNoBitsBelow) {
    KeyShape const shape{32, 7}; // 5 digits: 7 7 7 7 4
    EXPECT_EQ(shape.pass_count(), 5);
    EXPECT_EQ(shape.bits_of(1), 7);
    EXPECT_EQ(shape.bits_below(4), 4);
    EXPECT_EQ(shape.bits_of(5), 4);
    EXPECT_EQ(shape.bits_below(5), 0);
}

} // namespace
} // namespace keyswap::kernels
