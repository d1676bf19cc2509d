#include "model/external/external_accesses.hpp"

#include <gtest/gtest.h>

namespace keyswap::model {
namespace {

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

TEST(ExternalAccesses, FitTheirBuffers) {
    for (RecordLayout const& layout :
         {layout_of_keys(KeyType::u64, Direction::ascending),
          parse_record_layout(100, "0:10", Direction::ascending).value()}) {
        for (std::uint64_t size = MiB; size <= 1024 * MiB; size *= 2) {
            auto const memory = divide_memory(layout, size).value();
            for (std::uint64_t ranges = 2; ranges <= memory.ranges_max; ranges *= 3) {
                PartitionRounds const rounds = partition_rounds(layout, memory, ranges);
                std::uint64_t const round_bytes = rounds.records * layout.record_bytes;
                EXPECT_GT(rounds.records, 0U);
                // Two areas to read and two to write, each with its gaps, and the tails.
                EXPECT_LE(4 * (round_bytes + rounds.gap_bytes) + rounds.tail_bytes +
                              3 * memory.block_bytes,
                          size - memory.reserve_bytes);
            }
            OutputBuffers const buffers = output_buffers(layout, memory, storage_accesses);
            EXPECT_LE(buffers.count * buffers.size_bytes, 3 * memory.block_bytes);
        }
    }
}

TEST(ExternalAccesses, UseAThreadPerMiB) {
    EXPECT_EQ(useful_threads(MiB / 2, 8), 1U);
    EXPECT_EQ(useful_threads(3 * MiB, 8), 3U);
    EXPECT_EQ(useful_threads(100 * MiB, 8), 8U);
    EXPECT_EQ(access_bytes(MiB / 2, 1), MiB);
    EXPECT_EQ(access_bytes(32 * MiB, 8), 4 * MiB);
    EXPECT_EQ(access_bytes(256 * MiB, 8), 8 * MiB);
}

} // namespace
} // namespace keyswap::model
