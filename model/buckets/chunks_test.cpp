#include "model/buckets/chunks.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

TEST(Chunks, TheLastGpuHoldsWhatIsLeft) {
    Chunks const chunks(10, 4); // C = 3
    EXPECT_EQ(chunks.size(), 3U);
    EXPECT_EQ(chunks.of(GpuId{2}), (IndexRange{6, 9}));
    EXPECT_EQ(chunks.of(GpuId{3}), (IndexRange{9, 10}));
    EXPECT_EQ(chunks.border(GpuId{2}), 9U);
}

TEST(Chunks, FewerKeysThanGpusLeaveChunksEmpty) {
    Chunks const chunks(2, 4);
    EXPECT_EQ(chunks.of(GpuId{1}).size(), 1U);
    EXPECT_EQ(chunks.of(GpuId{2}), (IndexRange{2, 2}));
    EXPECT_EQ(chunks.of(GpuId{3}), (IndexRange{2, 2}));
}

TEST(Chunks, ACeilingMayLeaveTheLastGpuEmpty) {
    Chunks const chunks(9, 8); // C = 2: five chunks hold everything
    EXPECT_EQ(chunks.of(GpuId{4}), (IndexRange{8, 9}));
    EXPECT_EQ(chunks.of(GpuId{5}).size(), 0U);
    EXPECT_EQ(chunks.of(GpuId{7}), (IndexRange{9, 9}));
}

TEST(Chunks, OwnersChangeExactlyAtTheBorders) {
    Chunks const chunks(10, 4);
    EXPECT_EQ(chunks.owner_of(2), GpuId{0});
    EXPECT_EQ(chunks.owner_of(3), GpuId{1});
    EXPECT_EQ(chunks.owner_of(9), GpuId{3});
}

TEST(Chunks, TheLargestInputOverflowsNothing) {
    std::uint64_t const n = std::uint64_t{1} << 63;
    Chunks const chunks(n, 1023);
    EXPECT_EQ(chunks.of(GpuId{1022}).end, n);
    std::uint64_t sum = 0;
    for (std::uint32_t gpu = 0; gpu < 1023; ++gpu) {
        sum += chunks.of(GpuId{gpu}).size();
    }
    EXPECT_EQ(sum, n);
}

TEST(Chunks, NoKeysMakeEmptyChunks) {
    Chunks const chunks(0, 3);
    EXPECT_EQ(chunks.size(), 0U);
    EXPECT_EQ(chunks.of(GpuId{2}), (IndexRange{0, 0}));
}

} // namespace
} // namespace keyswap::model
