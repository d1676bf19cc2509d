#include "kernels/primitives/partition/placement_rule.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

// Four chunks of 100 keys with borders at 100, 200 and 300; 5 keys of tolerance.
constexpr PlacementRule hundred_keys{100, 5, 4};

TEST(PlacementRule, PlacesABucketInsideAChunkThere) {
    EXPECT_EQ(place_bucket(hundred_keys, 0, 100), (GpuRange{0, 0}));
    EXPECT_EQ(place_bucket(hundred_keys, 100, 101), (GpuRange{1, 1}));
    EXPECT_EQ(place_bucket(hundred_keys, 399, 400), (GpuRange{3, 3}));
}

TEST(PlacementRule, GivesASmallOverflowToTheGpuThatHasMore) {
    EXPECT_EQ(place_bucket(hundred_keys, 50, 105), (GpuRange{0, 0})); // 50 before, 5 after
    EXPECT_EQ(place_bucket(hundred_keys, 50, 106),
              (GpuRange{0, 1})); // 6 are more than the tolerance
    EXPECT_EQ(place_bucket(hundred_keys, 95, 150), (GpuRange{1, 1})); // 5 before
    EXPECT_EQ(place_bucket(hundred_keys, 94, 150), (GpuRange{0, 1}));
}

TEST(PlacementRule, GivesATieToTheLaterGpu) {
    EXPECT_EQ(place_bucket(hundred_keys, 97, 103), (GpuRange{1, 1}));
}

TEST(PlacementRule, TrimsBothEndsOfAWideBucket) {
    EXPECT_EQ(place_bucket(hundred_keys, 96, 302), (GpuRange{1, 2}));
    EXPECT_EQ(place_bucket(hundred_keys, 95, 205), (GpuRange{1, 1})); // both ends meet in GPU 1
    EXPECT_EQ(place_bucket(hundred_keys, 94, 306), (GpuRange{0, 3}));
    EXPECT_EQ(place_bucket(hundred_keys, 94, 302), (GpuRange{0, 2}));
}

TEST(PlacementRule, WithoutToleranceLeavesEveryCrossingBucketSpanning) {
    PlacementRule const strict{100, 0, 4};
    EXPECT_EQ(place_bucket(strict, 99, 101), (GpuRange{0, 1}));
    EXPECT_EQ(place_bucket(strict, 99, 301), (GpuRange{0, 3}));
}

TEST(PlacementRule, ShareOfAChunkIsRoundedDownAndDoesNotOverflow) {
    EXPECT_EQ(share_of_chunk(199, 5000), 0U); // 0.995
    EXPECT_EQ(share_of_chunk(200, 5000), 1U);
    EXPECT_EQ(share_of_chunk(std::uint64_t{1} << 43, 5000), 43'980'465'111U); // 2^43 / 200
}

} // namespace
} // namespace keyswap::kernels
