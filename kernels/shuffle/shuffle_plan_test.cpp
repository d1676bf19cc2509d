#include "kernels/shuffle/shuffle_plan.hpp"

#include <gtest/gtest.h>

namespace keyswap::kernels {
namespace {

using Counts = std::vector<std::uint64_t>;
using Owners = std::vector<std::uint32_t>;

TEST(ShufflePlan, GivesBucketsInEqualStretchesWhereNobodySaysOtherwise) {
    EXPECT_EQ(validate_owners({}, 5, 2).value(), (Owners{0, 0, 0, 1, 1}));
    EXPECT_EQ(validate_owners({}, 2, 5).value(), (Owners{0, 2}));
    EXPECT_EQ(validate_owners({1, 0}, 2, 2).value(), (Owners{1, 0}));
}

TEST(ShufflePlan, RefusesOwnersThatAreNone) {
    EXPECT_EQ(validate_owners({0, 1}, 3, 2).error(),
              "2 owners are given for 3 buckets (give one for each)");
    EXPECT_EQ(validate_owners({0, 2, 1}, 3, 2).error(),
              "bucket 1 is given to GPU 2 of 2 (number them from 0)");
}

// Computed by hand: three buckets on two GPUs; the second is empty, GPU 1 owns the first.
TEST(ShufflePlan, LaysPiecesOneAfterTheOtherOnTheirOwner) {
    Counts const counts{4, 0, 1, 2, 0, 3};
    ShuffleReport const plan = plan_shuffle(counts, Owners{1, 1, 0}, 2);
    EXPECT_EQ(plan.starts, (Counts{4, 10, 0}));
    EXPECT_EQ(plan.ownership, (std::vector<OwnershipRecord>{{GpuId{0}, 0, 4}, {GpuId{1}, 4, 6}}));
    EXPECT_EQ(plan.placements,
              (std::vector<PlacementRecord>{
                  {{1, 2}, 0, 4, GpuId{0}, GpuId{0}, PlacementState::placed},
                  {{1, 0}, 4, 10, GpuId{1}, GpuId{1}, PlacementState::placed}}));
    EXPECT_EQ(plan.copies,
              (std::vector<CopyRecord>{{GpuId{0}, 0, GpuId{1}, 0, 4},
                                       {GpuId{0}, 4, GpuId{0}, 0, 1},
                                       {GpuId{1}, 2, GpuId{0}, 1, 3},
                                       {GpuId{1}, 0, GpuId{1}, 4, 2}}));
}

TEST(ShufflePlan, OfNoKeysMovesNone) {
    ShuffleReport const plan = plan_shuffle(Counts(6), Owners{0, 1, 1}, 2);
    EXPECT_EQ(plan.starts, Counts(3));
    EXPECT_TRUE(plan.copies.empty());
    EXPECT_TRUE(plan.placements.empty());
    EXPECT_EQ(plan.ownership.size(), 2U);
}

} // namespace
} // namespace keyswap::kernels
