#include "kernels/exchange_plan/stretch_tiles.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

constexpr std::uint64_t tiled_max = 128;

TEST(StretchTiles, CountAllStretchesIfSomeAreLargeAndTheyFitALaunch) {
    EXPECT_EQ(stretch_by_block_max(tiled_max, 1, tiled_max), 0U);
    EXPECT_EQ(stretch_by_block_max(tiled_max, 0, tiled_max), narrow_stretch_keys);
    EXPECT_EQ(stretch_by_block_max(tiled_max + 1, 1, tiled_max), narrow_stretch_keys);
    EXPECT_EQ(stretch_by_block_max(tiled_max + 1, tiled_max, tiled_max), narrow_stretch_keys);
    EXPECT_EQ(stretch_by_block_max(tiled_max + 1, tiled_max + 1, tiled_max), middle_stretch_keys);
}

TEST(StretchTiles, AreSmallEnoughForEveryMultiprocessorWithinLimits) {
    EXPECT_EQ(stretch_tile_size(1), stretch_tile_keys_min);
    EXPECT_EQ(stretch_tile_size(std::uint64_t{stretch_tile_keys_min} * 128), stretch_tile_keys_min);
    EXPECT_EQ(stretch_tile_size(std::uint64_t{stretch_tile_keys_min} * 128 + 1),
              2 * stretch_tile_keys_min);
    EXPECT_EQ(stretch_tile_size(std::uint64_t{1} << 40), stretch_tile_keys_max);
}

} // namespace
} // namespace keyswap::kernels
