#include "model/partition/shuffle.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

using Counts = std::vector<std::vector<std::uint64_t>>;
using Owners = std::vector<GpuId>;

CopyRecord copy(std::uint32_t source,
                std::uint64_t source_offset,
                std::uint32_t destination,
                std::uint64_t destination_offset,
                std::uint64_t count) {
    return {GpuId{source}, source_offset, GpuId{destination}, destination_offset, count};
}

TEST(Shuffle, SharesBucketsEvenlyAmongGpus) {
    EXPECT_EQ(even_owners(4, 2), (Owners{GpuId{0}, GpuId{0}, GpuId{1}, GpuId{1}}));
    EXPECT_EQ(even_owners(5, 3), (Owners{GpuId{0}, GpuId{0}, GpuId{1}, GpuId{1}, GpuId{2}}));
    EXPECT_EQ(even_owners(1, 8), Owners{GpuId{0}});
}

// Computed by hand: buckets 0 to 3; bucket 2 is empty.
TEST(Shuffle, LaysBucketsOutByOwnerAndPiecesBySource) {
    Counts const counts{{3, 1, 0, 2}, {0, 4, 0, 1}};
    Shuffle const shuffle = plan_shuffle(counts, even_owners(4, 2));
    EXPECT_EQ(shuffle.placements,
              (std::vector<PlacementRecord>{
                  {{1, 0}, 0, 3, GpuId{0}, GpuId{0}, PlacementState::placed},
                  {{1, 1}, 3, 8, GpuId{0}, GpuId{0}, PlacementState::placed},
                  {{1, 3}, 8, 11, GpuId{1}, GpuId{1}, PlacementState::placed}}));
    EXPECT_EQ(shuffle.ownership,
              (std::vector<OwnershipRecord>{{GpuId{0}, 0, 8}, {GpuId{1}, 8, 3}}));
    EXPECT_EQ(shuffle.copies,
              (std::vector<CopyRecord>{copy(0, 0, 0, 0, 3),
                                       copy(0, 3, 0, 3, 1),
                                       copy(0, 4, 1, 0, 2),
                                       copy(1, 0, 0, 4, 4),
                                       copy(1, 4, 1, 2, 1)}));
}

TEST(Shuffle, TakesAnyOwners) {
    Counts const counts{{1, 2, 3}, {4, 5, 6}};
    Owners const owners{GpuId{1}, GpuId{0}, GpuId{1}};
    Shuffle const shuffle = plan_shuffle(counts, owners);
    EXPECT_EQ(output_ranks(owners), (std::vector<std::uint32_t>{1, 0, 2}));
    EXPECT_EQ(shuffle.ownership,
              (std::vector<OwnershipRecord>{{GpuId{0}, 0, 7}, {GpuId{1}, 7, 14}}));
    EXPECT_EQ(shuffle.placements[0].begin, 7U);
    EXPECT_EQ(shuffle.placements[1].begin, 0U);
    EXPECT_EQ(shuffle.placements[2].begin, 12U);
    EXPECT_EQ(shuffle.copies.front(), copy(0, 0, 1, 0, 1));
    EXPECT_EQ(shuffle.copies.back(), copy(1, 9, 1, 8, 6));
}

} // namespace
} // namespace keyswap::model
