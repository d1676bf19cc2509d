#include "traces/records/pending_header.hpp"

#include <gtest/gtest.h>

namespace keyswap {
namespace {

/// Stores all records in memory.
class MemorySink final : public TraceSink {
  public:
    void write(TraceRecord const& record) override { records.push_back(record); }
    std::vector<TraceRecord> records;
};

RunHeader header_of_version(int version) {
    RunHeader header;
    header.version = version;
    return header;
}

TEST(PendingHeader, WaitsForTheLayoutAndKeepsTheOrder) {
    MemorySink sink;
    PendingHeader pending(header_of_version(2), sink);
    PlacementRecord const placement;
    pending.write(placement);
    EXPECT_TRUE(sink.records.empty());
    pending.declare(SwapLayout::by_round);
    pending.write(OwnershipRecord{});
    RunHeader declared = header_of_version(2);
    declared.layout = SwapLayout::by_round;
    EXPECT_EQ(sink.records, (std::vector<TraceRecord>{declared, placement, OwnershipRecord{}}));
    pending.release();
    EXPECT_EQ(sink.records.size(), 3U);
}

TEST(PendingHeader, IsWrittenAsItIsWhereNoLayoutIsDeclared) {
    MemorySink sink;
    PendingHeader pending(header_of_version(2), sink);
    pending.write(OwnershipRecord{});
    pending.release();
    EXPECT_EQ(sink.records, (std::vector<TraceRecord>{header_of_version(2), OwnershipRecord{}}));
}

TEST(PendingHeader, OfVersion1WaitsForNothing) {
    MemorySink sink;
    PendingHeader pending(header_of_version(1), sink);
    EXPECT_EQ(sink.records, (std::vector<TraceRecord>{header_of_version(1)}));
    pending.declare(SwapLayout::by_bucket);
    EXPECT_EQ(sink.records, (std::vector<TraceRecord>{header_of_version(1)}));
}

} // namespace
} // namespace keyswap
