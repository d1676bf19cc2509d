#include "traces/errors/grouped_count.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace keyswap {
namespace {

TEST(GroupedCount, HasACommaBetweenThousands) {
    EXPECT_EQ(grouped_count(0), "0");
    EXPECT_EQ(grouped_count(999), "999");
    EXPECT_EQ(grouped_count(1000), "1,000");
    EXPECT_EQ(grouped_count(12'345'678), "12,345,678");
    EXPECT_EQ(grouped_count(std::numeric_limits<std::uint64_t>::max()),
              "18,446,744,073,709,551,615");
}

} // namespace
} // namespace keyswap
