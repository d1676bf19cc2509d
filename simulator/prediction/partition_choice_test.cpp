#include "simulator/prediction/partition_choice.hpp"

#include <gtest/gtest.h>

namespace keyswap::simulator {
namespace {

PartitionLoad load_of(std::uint32_t buckets, int value_bytes) {
    PartitionLoad load;
    load.buckets = buckets;
    load.value_bytes = value_bytes;
    load.key_count = 1U << 28U;
    return load;
}

TEST(PartitionChoice, FastestComesFirstAndTheOrderOfKeysMayCost) {
    auto const profile = load_rate_profile("h200");
    ASSERT_TRUE(profile);
    auto const methods = partition_methods(*profile, load_of(32, 0));
    ASSERT_GT(methods.size(), 4U);
    EXPECT_EQ(methods.front().method, "atomic");
    EXPECT_FALSE(methods.front().stable);
    EXPECT_EQ(fastest_stable(methods)->method, "fused");
    for (std::size_t index = 1; index < methods.size(); ++index) {
        EXPECT_LE(methods[index - 1].stages.total_ms(), methods[index].stages.total_ms());
    }
    EXPECT_EQ(fastest_stable(partition_methods(*profile, load_of(2, 0)))->method, "split1");
    EXPECT_EQ(partition_methods(*profile, load_of(2, 4)).front().stable, true);
}

TEST(PartitionChoice, ManyBucketsLeaveTheMethodsThatTakeThem) {
    auto const profile = load_rate_profile("gtx1080");
    ASSERT_TRUE(profile);
    auto const methods = partition_methods(*profile, load_of(1024, 0));
    ASSERT_EQ(methods.size(), 2U);
    EXPECT_EQ(methods[0].method, "reduced-bit");
    EXPECT_EQ(methods[1].method, "recursive-split");
    EXPECT_FALSE(fastest_stable({}));
}

} // namespace
} // namespace keyswap::simulator
