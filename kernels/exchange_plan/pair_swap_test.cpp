#include "kernels/exchange_plan/pair_swap.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

// Two GPUs with 10 keys of 16 bits each, digits of 8. GPU 0 holds 4 + 6 + 0 keys of buckets 0x00,
// 0x0100 and 0x02; GPU 1 holds 2 + 5 + 3. The middle one has one value and is cut at border 10.
constexpr PlacementRule rule_of_two{10, 0, 2};
constexpr KeyShape two_digits{16, 8};

std::vector<FinalBucket> cut_pair_example() {
    std::vector<FinalBucket> buckets = {
        {{{1, 0x00}, 0, 6, GpuId{0}, GpuId{0}, PlacementState::placed}, {{0, 4}, {0, 2}}},
        {{{2, 0x0100}, 6, 17, GpuId{0}, GpuId{1}, PlacementState::cut}, {{4, 6}, {2, 5}}},
        {{{1, 0x02}, 17, 20, GpuId{1}, GpuId{1}, PlacementState::placed}, {{10, 0}, {7, 3}}}};
    for (FinalBucket& bucket : buckets) {
        bucket.images = images_of_digits(bucket.placement.bucket, two_digits);
    }
    return buckets;
}

TEST(PairSwap, HasOneCopyAPairWhoseKeysLieBySourceAtTheDestination) {
    auto const buckets = cut_pair_example();
    auto const copies = bucket_copies(buckets, ownership_of(buckets, rule_of_two, 20));
    // GPU 0 sends itself 4 + 4 keys and GPU 1 the other 2; GPU 1 sends GPU 0 its 2, itself 5 + 3.
    EXPECT_EQ(pair_copies(copies, 2),
              (std::vector<CopyRecord>{{GpuId{0}, 8, GpuId{1}, 0, 2},
                                       {GpuId{0}, 0, GpuId{0}, 0, 8},
                                       {GpuId{1}, 0, GpuId{0}, 8, 2},
                                       {GpuId{1}, 2, GpuId{1}, 2, 8}}));
}

TEST(PairSwap, FillsEveryOwnersRangeOnceWithAllPiecesOfItsBuckets) {
    auto const buckets = cut_pair_example();
    auto const ownership = ownership_of(buckets, rule_of_two, 20);
    auto const pairs = pair_copies(bucket_copies(buckets, ownership), 2);
    auto const pieces = arrived_pieces(buckets, ownership, pairs);
    for (OwnershipRecord const& owner : ownership) {
        std::vector<int> used(owner.count, 0);
        for (OwnedBucket const& piece : pieces) {
            for (std::uint64_t i = 0; piece.gpu == owner.gpu && i < piece.count; ++i) {
                ASSERT_LT(piece.offset + i, owner.count);
                ++used[piece.offset + i];
            }
        }
        EXPECT_TRUE(std::ranges::all_of(used, [](int times) { return times == 1; }));
    }
    // Bucket 0 consists of GPU 0's first 4 keys and, from GPU 1, keys 8 and 9.
    ASSERT_GE(pieces.size(), 2U);
    EXPECT_EQ(pieces[0].offset, 0U);
    EXPECT_EQ(pieces[0].count, 4U);
    EXPECT_EQ(pieces[1].offset, 8U);
    EXPECT_EQ(pieces[1].bucket, (BucketPrefix{1, 0x00}));
}

TEST(PairSwap, SortsEachRangeOnTheBitsInWhichItsKeysMayDiffer) {
    auto const buckets = cut_pair_example();
    auto const owned = owned_buckets(buckets, ownership_of(buckets, rule_of_two, 20));
    std::vector<OwnedBucket> by_gpu = owned;
    std::ranges::stable_sort(by_gpu, {}, &OwnedBucket::gpu);
    // GPU 0 holds 0x0000 to 0x0100: 9 bits. GPU 1 holds 0x0100 to 0x02ff: 10 bits.
    EXPECT_EQ(whole_ranges(by_gpu),
              (std::vector<SortRangeRecord>{{GpuId{0}, 0, 10, 0, 9}, {GpuId{1}, 0, 10, 0, 10}}));
    // One bucket of one value: nothing is left to sort.
    std::vector<OwnedBucket> const one_value = {{GpuId{0}, {2, 0x0100}, 0, 7, {0x100, 0x100}}};
    EXPECT_EQ(whole_ranges(one_value), (std::vector<SortRangeRecord>{{GpuId{0}, 0, 7, 0, 0}}));
}

TEST(PairSwap, IsUsedIfMostKeysAreLeftToSortOnTheGpus) {
    auto buckets = cut_pair_example(); // 6 + 3 of 20 keys are in buckets of several values
    EXPECT_FALSE(use_pair_swap(buckets, false));
    for (FinalBucket& bucket : buckets) {
        bucket.images = {0, 1};
    }
    EXPECT_TRUE(use_pair_swap(buckets, false));
    EXPECT_FALSE(use_pair_swap(buckets, true));
}

} // namespace
} // namespace keyswap::kernels
