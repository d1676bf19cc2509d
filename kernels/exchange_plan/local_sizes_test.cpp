#include "kernels/exchange_plan/local_sizes.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

LocalSpec spec_of(LocalRule rule, ElementShape shape, std::size_t gpus, std::uint64_t capacity) {
    return {rule, shape, Stability::unstable, gpus, capacity, std::nullopt};
}

TEST(LocalSizes, OneGpuHasNoPartsFromOthersAndAsManySegmentsAsItHasLargeChildren) {
    LocalSpec spec = spec_of(LocalRule::digits, {8, 0}, 1, 10 * 4096);
    EXPECT_EQ(local_sizes(spec, {1000, 500}).leading, 0U); // too few keys
    spec.leading_bytes_min = 10 * 4096 * 8;
    LocalSizes const sizes = local_sizes(spec, {1000, 500});
    EXPECT_EQ(sizes.large, 11U); // leaves of 4,096 keys, plus one
    EXPECT_EQ(sizes.segments, 11U);
    EXPECT_EQ(sizes.arrived, 0U);
    EXPECT_EQ(sizes.stretches, 0U);
    EXPECT_EQ(sizes.tiles, 40U + 11U);
    EXPECT_EQ(sizes.children(), 11U * 512U);
    EXPECT_EQ(sizes.parts(), 2U * 11U);
    EXPECT_EQ(sizes.leading, (1U << 18) + 2U);
}

TEST(LocalSizes, SeveralGpusKeepRoomForTheSegmentsAndPartsOfRounds) {
    LocalSizes const digits = local_sizes(spec_of(LocalRule::digits, {4, 0}, 4, 1), {1, 1});
    EXPECT_EQ(digits.segments, 256U);
    EXPECT_EQ(digits.arrived, 4U * 256U);
    EXPECT_EQ(digits.stretches, 1U);
    EXPECT_EQ(digits.leading, 0U);
    LocalSizes const splitters = local_sizes(spec_of(LocalRule::splitters, {4, 0}, 300, 1), {1, 1});
    EXPECT_EQ(splitters.arrived, 300U);
    EXPECT_EQ(splitters.children(), 256U * 256U);
}

TEST(LocalSizes, PublishedSplittersCountTilesAndStableDigitsLookBack) {
    LocalSpec spec = spec_of(LocalRule::splitters_published, {4, 0}, 2, 4096);
    EXPECT_EQ(local_sizes(spec, {1, 1}).direct_tiles, 2U + 256U);
    EXPECT_EQ(local_sizes(spec, {1, 1}).arrived, 0U);
    spec = spec_of(LocalRule::digits, {4, 4}, 1, 5000);
    EXPECT_EQ(local_bytes(spec, local_sizes(spec, {1000, 500}), {1000, 500}).temp_bytes, 0U);
    spec.ties = Stability::stable;
    LocalSizes const sizes = local_sizes(spec, {1000, 500});
    EXPECT_EQ(sizes.tiles, 10U + 1U);
    EXPECT_EQ(local_bytes(spec, sizes, {1000, 500}).temp_bytes, 11U * 512U * 4U);
}

TEST(LocalSizes, SplittersTakeALabelAKeyAndATreeASegment) {
    LocalSpec const digits = spec_of(LocalRule::digits, {8, 0}, 1, 1 << 20);
    LocalSpec const either = spec_of(LocalRule::digits_or_splitters, {8, 0}, 1, 1 << 20);
    LocalTiles const tiles = local_tiles({8, 0});
    EXPECT_EQ(tiles.label, 512U * 12U);
    LocalSizes const sizes = local_sizes(either, tiles);
    EXPECT_EQ(local_bytes(either, sizes, tiles).own_bytes -
                  local_bytes(digits, sizes, tiles).own_bytes,
              sizes.tiles * 512U * 12U + sizes.segments * 256U * 8U);
}

} // namespace
} // namespace keyswap::kernels
