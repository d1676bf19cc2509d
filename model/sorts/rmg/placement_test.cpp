#include "model/sorts/rmg/placement.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

// 4 GPUs, C = 1000, E = floor(0.005 * 1000) = 5.
Chunks const four_chunks(4000, 4);
constexpr std::uint64_t tolerance = 5;

GpuSpan span(std::uint32_t first, std::uint32_t last) {
    return {GpuId{first}, GpuId{last}};
}

GpuSpan place(std::uint64_t begin, std::uint64_t end) {
    return place_bucket(four_chunks, {begin, end}, tolerance);
}

TEST(Placement, ToleranceIsHalfAPercentOfTheChunkRoundedDown) {
    EXPECT_EQ(tolerance_keys(four_chunks, 5000), 5U);
    EXPECT_EQ(tolerance_keys(Chunks(4 * 1199, 4), 5000), 5U); // 5.995
    EXPECT_EQ(tolerance_keys(Chunks(4 * 1200, 4), 5000), 6U);
    EXPECT_EQ(tolerance_keys(Chunks(4 * 199, 4), 5000), 0U); // 0.995
}

TEST(Placement, ToleranceIsExactForTheLargestInput) {
    // C = 2^63; 0.005 * 2^63 = 46116860184273879.04
    EXPECT_EQ(tolerance_keys(Chunks(std::uint64_t{1} << 63, 1), 5000), 46116860184273879U);
}

TEST(Placement, ABucketInsideAChunkIsPlacedThere) {
    EXPECT_EQ(place(0, 1000), span(0, 0));
    EXPECT_EQ(place(1000, 2000), span(1, 1));
    EXPECT_EQ(place(3999, 4000), span(3, 3));
}

TEST(Placement, AnOverhangOfExactlyTheToleranceMovesToTheFirstGpu) {
    EXPECT_EQ(place(500, 1005), span(0, 0));
    EXPECT_EQ(place(500, 1006), span(0, 1));
}

TEST(Placement, AnOverhangOfExactlyTheToleranceMovesToTheLastGpu) {
    EXPECT_EQ(place(995, 1500), span(1, 1));
    EXPECT_EQ(place(994, 1500), span(0, 1));
}

TEST(Placement, OfTwoEqualSidesTheFirstOneMoves) {
    EXPECT_EQ(place(995, 1005), span(1, 1));
    EXPECT_EQ(place(995, 1004), span(0, 0));
    EXPECT_EQ(place(996, 1005), span(1, 1));
}

TEST(Placement, OverThreeGpusBothEndsMayBeDropped) {
    EXPECT_EQ(place(995, 2005), span(1, 1));
    EXPECT_EQ(place(994, 2005), span(0, 1));
    EXPECT_EQ(place(995, 2006), span(1, 2));
    EXPECT_EQ(place(994, 2006), span(0, 2));
}

TEST(Placement, OverFourGpusEachEndIsDroppedOnItsOwn) {
    EXPECT_EQ(place(995, 3005), span(1, 2));
    EXPECT_EQ(place(0, 4000), span(0, 3));
}

TEST(Placement, WithoutToleranceOneKeyOverTheBorderSpans) {
    EXPECT_EQ(place_bucket(four_chunks, {500, 1001}, 0), span(0, 1));
    EXPECT_EQ(place_bucket(four_chunks, {500, 1000}, 0), span(0, 0));
}

} // namespace
} // namespace keyswap::model
