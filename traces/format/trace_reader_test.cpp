#include "traces/format/trace_reader.hpp"

#include "traces/format/trace_writer.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>

namespace keyswap {
namespace {

using namespace testing;
using ::testing::Test;

std::string message_of(std::string const& text) {
    auto const records = records_of(text);
    return records ? "" : records.error().message();
}

/// A trace whose second line is `open_object` with a right checksum.
std::string with_record(std::string const& open_object, int version = 1) {
    auto header = std::get<RunHeader>(sample_records().front());
    header.version = version;
    return encode_line(TraceRecord(header), version) + sealed(open_object) +
           encode_line(TraceEnd{2}, version);
}

/// The header of sample_records() with one text replaced and its right checksum.
std::string header_with(std::string const& found, std::string const& instead) {
    std::string text = encode_line(TraceRecord(sample_records().front()), 1);
    text.resize(text.rfind(",\"crc32\""));
    text.replace(text.find(found), found.size(), instead);
    return sealed(text) + encode_line(TraceEnd{1}, 1);
}

void expect_in(std::string const& message, std::initializer_list<std::string> parts) {
    for (std::string const& part : parts) {
        EXPECT_NE(message.find(part), std::string::npos) << message << "\nlacks: " << part;
    }
}

TEST(TraceReader, ReadsWhatTheWriterWrotePlainAndCompressed) {
    TemporaryFolder const folder;
    auto const records = sample_records_of_version_3();
    for (std::string const name : {"a.trace", "a.trace.gz", "a.trace.zst"}) {
        auto writer = TraceWriter::create(folder / name);
        ASSERT_TRUE(writer) << writer.error().message();
        for (TraceRecord const& record : records) {
            writer->write(record);
        }
        ASSERT_TRUE(writer->finish());
        auto const read = read_trace(folder / name);
        ASSERT_TRUE(read) << read.error().message();
        EXPECT_EQ(*read, records) << name;
    }
    EXPECT_EQ(text_of(folder / "a.trace"), text_of(records));
    EXPECT_EQ(text_of(folder / "a.trace.gz").substr(0, 2), "\x1f\x8b");
    EXPECT_EQ(text_of(folder / "a.trace.zst").substr(0, 4), "\x28\xb5\x2f\xfd");
}

TEST(TraceReader, DistinguishesOtherFilesFromTracesThatAreCutOff) {
    for (std::string const text :
         {"{\"traceEvents\":[]}", "{\"traceEvents\":[]}\n", "5\n3\n", "[1]"}) {
        expect_in(message_of(text), {"line 1", "is not a record of a keyswap trace"});
    }
    for (std::string const text : {"", "{\"rec", "{\"record\":\"header\""}) {
        expect_in(message_of(text), {"line 1", "cut off"});
    }
}

TEST(TraceReader, ReadsTracesThatAreMuchLargerThanItsBuffer) {
    std::vector<TraceRecord> records{sample_records().front()};
    for (std::uint64_t i = 0; i < 20'000; ++i) {
        records.emplace_back(CopyRecord{GpuId{1}, i, GpuId{2}, i * i, 3});
    }
    auto const read = records_of(text_of(records));
    ASSERT_TRUE(read) << read.error().message();
    EXPECT_EQ(*read, records);
}

TEST(TraceReader, NamesFileAndLineOfATraceThatIsCutOffAnywhere) {
    std::string const text = text_of(sample_records());
    for (std::size_t size = 0; size < text.size(); ++size) {
        auto const records = records_of(text.substr(0, size));
        ASSERT_FALSE(records) << size;
        auto const lines = std::count(text.begin(), text.begin() + std::ptrdiff_t(size), '\n');
        EXPECT_EQ(records.error().subject, "a.trace, line " + std::to_string(lines + 1));
        expect_in(records.error().message(), {"cut off", "again"});
    }
}

TEST(TraceReader, SaysThatCompressedDataIsCutOffOrDamaged) {
    TemporaryFolder const folder;
    for (std::string const name : {"a.gz", "a.zst"}) {
        auto writer = TraceWriter::create(folder / name);
        ASSERT_TRUE(writer);
        for (TraceRecord const& record : sample_records()) {
            writer->write(record);
        }
        ASSERT_TRUE(writer->finish());
        std::string const text = text_of(folder / name);
        for (std::size_t size = 4; size < text.size(); ++size) {
            expect_in(message_of(text.substr(0, size)), {"a.trace", "cut off"});
        }
        std::string damaged = text;
        damaged[text.size() - 3] ^= 1; // in the checksum of the whole
        expect_in(message_of(damaged), {"a.trace", "damaged"});
    }
}

TEST(TraceReader, RefusesALineThatIsMissingByTheCountInTheEndRecord) {
    auto records = sample_records();
    std::string const end = encode_line(TraceEnd{records.size()}, 1);
    records.pop_back();
    std::string text = text_of(records);
    text.resize(text.rfind("{\"record\":\"end\""));
    expect_in(message_of(text + end), {"line 10", "counts 10 records, and there are 9"});
}

TEST(TraceReader, RefusesWhatFollowsTheEnd) {
    std::string const text = text_of(sample_records());
    expect_in(message_of(text + "x\n"), {"line 12", "follows the end record"});
    EXPECT_NE(message_of(text + "x"), "");
}

TEST(TraceReader, RefusesANewerVersionAndNamesTheRemedy) {
    expect_in(message_of(header_with(R"("version":1)", R"("version":4)")),
              {"a.trace, line 1", "version 4", "up to version 3", "newer keyswap"});
    expect_in(message_of(header_with(R"("version":1)", R"("version":0)")), {"version 0"});
}

TEST(TraceReader, RefusesWhatTheVersionOfTheHeaderDoesNotHave) {
    std::string const copy =
        R"({"record":"copy","source":0,"source_offset":1,"destination":1,"destination_offset":2,"count":3)";
    std::string const merge = R"({"record":"merge","stage":0,"gpu":1,"offset":0,"runs":[2,3])";
    EXPECT_EQ(message_of(with_record(copy, 1)), "");
    EXPECT_EQ(message_of(with_record(copy + R"(,"stage":1)", 2)), "");
    EXPECT_EQ(message_of(with_record(merge, 2)), "");
    std::string const division =
        R"({"record":"range_division","range":0,"seed":1,"draws":2,"planned_records":3,"buffer_bytes":4,"sample":{"count":2,"low":"0000000000000000","high":"0000000000000000"})";
    EXPECT_EQ(message_of(with_record(division, 3)), "");
    expect_in(message_of(with_record(division, 2)), {"unknown record type 'range_division'"});
    expect_in(message_of(with_record(copy, 2)), {"a.trace, line 2", "lacks the field 'stage'"});
    expect_in(message_of(with_record(copy + R"(,"stage":1)", 1)), {"unknown field 'stage'"});
    expect_in(message_of(with_record(merge, 1)), {"unknown record type 'merge'"});
    expect_in(message_of(header_with(R"("version":1)", R"("version":2)")),
              {"line 1", "lacks the field 'operation'"});
    expect_in(message_of(header_with(R"("input")", R"("layout":"by_round","input")")),
              {"line 1", "unknown field 'layout'"});
    expect_in(message_of(header_with(R"("key_type":"u32")", R"("key_type":"b128")")),
              {"line 1", "'key_type' must have at most 64 bits in version 1"});
}

TEST(TraceReader, RefusesWrongFieldsOfVersion2) {
    std::string const fields = R"("version":2,"operation":"sort","parameters":)";
    EXPECT_EQ(message_of(header_with(R"("version":1)", fields + R"({"ways":128})")), "");
    expect_in(message_of(header_with(R"("version":1)", fields + R"({"ways":-1})")),
              {"'parameters.ways' must be a whole number"});
    expect_in(message_of(header_with(R"("version":1)", fields + "[]")),
              {"'parameters' must be an object"});
    expect_in(message_of(header_with(R"("version":1)", fields + R"({},"layout":"by_gpu")")),
              {"'layout' is wrong", "by_bucket, by_source, by_round"});
    expect_in(
        message_of(with_record(R"({"record":"merge","stage":0,"offset":0,"runs":[2,"3"])", 2)),
        {"'runs' must be a whole number"});
}

TEST(TraceReader, RefusesRecordsThatAreNotOfTheFormat) {
    std::string const copy =
        R"({"record":"copy","source":0,"source_offset":1,"destination":1,"destination_offset":2)";
    EXPECT_EQ(message_of(with_record(copy + R"(,"count":3)")), "");
    expect_in(message_of(with_record(copy)), {"a.trace, line 2", "lacks the field 'count'"});
    expect_in(message_of(with_record(copy + R"(,"count":"3")")), {"'count' must be a whole"});
    expect_in(message_of(with_record(copy + R"(,"count":3.0)")), {"'count' must be a whole"});
    expect_in(message_of(with_record(copy + R"(,"count":-3)")), {"'count' must be a whole"});
    expect_in(message_of(with_record(copy + R"(,"count":3,"count":3)")), {"'count' twice"});
    expect_in(message_of(with_record(copy + R"(,"count":3,"bytes":3)")), {"unknown field 'bytes'"});
    expect_in(message_of(with_record(R"({"record":"merge","gpu":1)")),
              {"unknown record type 'merge'"});
    expect_in(message_of(with_record(R"({"gpu":1)")), {"lacks the field 'record'"});
    expect_in(message_of(with_record(R"({"gpu":)")), {"not a JSON object"});
    expect_in(
        message_of(with_record(R"({"record":"ownership","gpu":4294967296,"base":0,"count":0)")),
        {"'gpu' must be a whole number from 0 to 4294967295"});
}

TEST(TraceReader, RefusesHistogramsWhoseCountsDoNotFitTheirDigits) {
    std::string const histogram =
        R"({"record":"histogram","pass":0,"prefix":0,"gpu":0,"offset":0,"digits":)";
    EXPECT_EQ(message_of(with_record(histogram + R"(4,"nonzero":[[1,5],[3,1]])")), "");
    for (std::string const wrong : {R"(4,"nonzero":[[4,5]])",
                                    R"(4,"nonzero":[[1,5],[1,5]])",
                                    R"(4,"nonzero":[[1,0]])",
                                    R"(4,"nonzero":[[1]])",
                                    R"(4,"counts":[1,2,3])",
                                    R"(2,"counts":[1,2],"nonzero":[])",
                                    R"(99999999999,"nonzero":[])",
                                    R"(4)"}) {
        expect_in(message_of(with_record(histogram + wrong)), {"a.trace, line 2"});
    }
}

TEST(TraceReader, RefusesATraceWithoutHeaderOrWithTwo) {
    auto const records = sample_records();
    expect_in(message_of(encode_line(records[1], 1)), {"line 1", "not a header"});
    expect_in(message_of(encode_line(records[0], 1) + encode_line(records[0], 1)),
              {"line 2", "second header"});
    expect_in(message_of(encode_line(TraceEnd{0}, 1)), {"line 1", "not a header"});
    EXPECT_NE(message_of("hello\n"), "");
}

TEST(TraceReader, SaysWhichFileIsMissing) {
    auto const read = read_trace("/nonexistent/a.trace");
    ASSERT_FALSE(read);
    expect_in(read.error().message(), {"/nonexistent/a.trace", "No such file"});
}

} // namespace
} // namespace keyswap
