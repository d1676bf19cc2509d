#include "traces/format/trace_writer.hpp"

#include "traces/errors/contracts.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>

#include <stdexcept>

namespace keyswap {
namespace {

using namespace testing;

TEST(TraceWriter, LeavesNothingBehindUnlessItFinishes) {
    TemporaryFolder const folder;
    {
        auto writer = TraceWriter::create(folder / "a.trace.gz");
        ASSERT_TRUE(writer);
        writer->write(sample_records().front());
    }
    EXPECT_EQ(folder.files().size(), 0U);
}

TEST(TraceWriter, KeepsTheOlderFileUntilItFinishes) {
    TemporaryFolder const folder;
    put_text(folder / "a.trace", "older");
    auto writer = TraceWriter::create(folder / "a.trace");
    ASSERT_TRUE(writer);
    writer->write(sample_records().front());
    EXPECT_EQ(text_of(folder / "a.trace"), "older");
    ASSERT_TRUE(writer->finish());
    EXPECT_EQ(text_of(folder / "a.trace"), text_of({sample_records().front()}));
    EXPECT_EQ(folder.files().size(), 1U);
}

TEST(TraceWriter, RefusesAPathThatCannotBeWrittenBeforeAnyWork) {
    TemporaryFolder const folder;
    for (auto const& path : {folder / "no such folder/a.trace", folder / "", folder / "."}) {
        auto const writer = TraceWriter::create(path);
        ASSERT_FALSE(writer) << path;
        EXPECT_NE(writer.error().message().find("cannot be written"), std::string::npos);
        EXPECT_FALSE(writer.error().remedy.empty());
    }
}

TEST(TraceWriter, WritesHistogramsInTheShorterForm) {
    HistogramRecord record;
    record.counts.assign(256, 0);
    record.counts[3] = 5;
    EXPECT_NE(encode_line(TraceRecord(record), 1).find(R"("digits":256,"nonzero":[[3,5]])"),
              std::string::npos);
    record.counts = {1, 2};
    EXPECT_NE(encode_line(TraceRecord(record), 1).find(R"("digits":2,"counts":[1,2])"),
              std::string::npos);
}

TEST(TraceWriter, SaysOnFinishThatADiskIsFull) {
    if (!std::filesystem::exists("/dev/full")) {
        GTEST_SKIP() << "this machine has no /dev/full";
    }
    auto writer = TraceWriter::create("/dev/full");
    ASSERT_TRUE(writer);
    writer->write(sample_records().front());
    auto const finished = writer->finish();
    ASSERT_FALSE(finished);
    EXPECT_NE(finished.error().message().find("No space"), std::string::npos);
}

TEST(TraceWriterContracts, AVersionThatCannotSayARecordIsNotWritten) {
    set_contract_handler([](std::string const& message) { throw std::logic_error(message); });
    EXPECT_THROW((void)encode_line(TraceRecord(MergeRecord{}), 1), std::logic_error);
    EXPECT_THROW((void)encode_line(TraceRecord(CopyRecord{GpuId{0}, 0, GpuId{1}, 0, 1, 1}), 1),
                 std::logic_error);
    RunHeader header;
    header.parameters["ways"] = 128;
    EXPECT_THROW((void)encode_line(TraceRecord(header), 1), std::logic_error);
    header.version = 2;
    EXPECT_NO_THROW((void)encode_line(TraceRecord(header), 1));
    header.version = trace_format_version + 1;
    EXPECT_THROW((void)encode_line(TraceRecord(header), 1), std::logic_error);
    set_contract_handler(nullptr);
}

// The worked example of traces/FORMAT.md: CRC-32 of the text before ',"crc32"'.
TEST(TraceWriter, ChecksumsAsTheReadmeSays) {
    EXPECT_EQ(checksum_text("123456789"), "cbf43926"); // the check value of CRC-32/ISO-HDLC
    EXPECT_EQ(encode_line(TraceRecord(OwnershipRecord{GpuId{1}, 10, 8}), 1),
              R"({"record":"ownership","gpu":1,"base":10,"count":8,"crc32":"79cad9d5"})"
              "\n");
}

} // namespace
} // namespace keyswap
