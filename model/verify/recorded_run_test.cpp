#include "model/verify/recorded_run.hpp"

#include "traces/format/trace_writer.hpp"
#include "traces/testing/trace_fixtures.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <utility>

namespace keyswap::model::verify {
namespace {

/// A record with a list or text of variable size.
struct Growing {
    char const* name;
    std::size_t entry_bytes; ///< memory of one entry
    std::function<TraceRecord(std::size_t entries)> record;
};

std::vector<std::uint64_t> zeros(std::size_t entries) {
    return std::vector<std::uint64_t>(entries, 0);
}

std::string letters(std::size_t length) {
    return std::string(length, 'x');
}

TraceRecord splitters(std::size_t entries) {
    SplitterBuckets rule;
    for (std::size_t i = 0; i < entries; ++i) {
        rule.splitters.push_back({0, i + 1});
    }
    rule.equality.assign(entries, false);
    auto const buckets = static_cast<std::uint32_t>(entries + 1);
    return BucketFunctionRecord{1, {0, 0}, {buckets, std::move(rule)}};
}

TraceRecord partition(std::string method, std::size_t starts) {
    PartitionRecord record;
    record.method = std::move(method);
    record.starts = zeros(starts);
    return record;
}

TraceRecord relaxation(std::size_t waiting) {
    RelaxationRecord record;
    record.counts = zeros(waiting);
    return record;
}

std::vector<Growing> growing_records() {
    using Size = std::size_t;
    constexpr Size count_bytes = sizeof(std::uint64_t);
    return {{"histogram",
             count_bytes,
             [](Size n) {
                 return HistogramRecord{{0, 0}, GpuId{0}, 0, zeros(n), {}, {}};
             }},
            {"splitters", sizeof(KeyImage) + 1, splitters},
            {"starts", count_bytes, [](Size n) { return partition("fused", n); }},
            {"method", 1, [](Size n) { return partition(letters(n), 1); }},
            {"waiting", count_bytes, relaxation},
            {"runs",
             count_bytes,
             [](Size n) {
                 return MergeRecord{0, GpuId{0}, 0, zeros(n)};
             }},
            {"phase",
             1,
             [](Size n) {
                 return PhaseTimeRecord{GpuId{0}, PhaseName::of(letters(n)), 0, 0, 1};
             }},
            {"property",
             1,
             [](Size n) {
                 return VerdictRecord{letters(n), false, "why"};
             }},
            {"detail", 1, [](Size n) {
                 return VerdictRecord{"sorted", false, letters(n)};
             }}};
}

class RecordedRuns : public ::testing::Test {
  protected:
    /// A trace of version 2 with these records.
    void put(std::vector<TraceRecord> const& records) const {
        auto writer = TraceWriter::create(path()).value();
        writer.write(keyswap::testing::sample_records_of_version_3().front());
        for (TraceRecord const& record : records) {
            writer.write(record);
        }
        ASSERT_TRUE(writer.finish().has_value());
    }
    [[nodiscard]] Expected<RecordedRun> read(std::uint64_t memory_bytes) const {
        VerifyLimits limits;
        limits.memory_bytes = memory_bytes;
        return read_recorded_run(path(), limits);
    }
    /// The lowest memory limit with which the trace can be read.
    [[nodiscard]] std::uint64_t least_memory_bytes() const {
        std::uint64_t refused = 0;
        std::uint64_t read_with = 1 << 20;
        EXPECT_TRUE(read(read_with).has_value());
        while (read_with - refused > 1) {
            std::uint64_t const middle = refused + (read_with - refused) / 2;
            (read(middle) ? read_with : refused) = middle;
        }
        return read_with;
    }

  private:
    [[nodiscard]] std::filesystem::path path() const { return folder_ / "run.trace"; }
    keyswap::testing::TemporaryFolder folder_;
};

TEST_F(RecordedRuns, TakeMemoryForEveryRecordAndEveryEntryOfIt) {
    put({});
    std::uint64_t const header = least_memory_bytes();
    EXPECT_GE(header, sizeof(TraceRecord));
    for (Growing const& growing : growing_records()) {
        SCOPED_TRACE(growing.name);
        put({growing.record(1)});
        std::uint64_t const one = least_memory_bytes();
        EXPECT_GE(one, header + sizeof(TraceRecord) + growing.entry_bytes);
        constexpr std::size_t entries = 50;
        put({growing.record(entries)});
        EXPECT_EQ(least_memory_bytes(), one + (entries - 1) * growing.entry_bytes);
        put({growing.record(entries), growing.record(1)});
        EXPECT_EQ(least_memory_bytes(), 2 * one + (entries - 1) * growing.entry_bytes - header);
    }
}

TEST_F(RecordedRuns, BeyondTheLimitAreRefusedByItsNameAndValue) {
    put({});
    auto const refused = read(10);
    ASSERT_FALSE(refused.has_value());
    EXPECT_NE(
        refused.error().message().find("run.trace: its records take more than the 10 bytes of "
                                       "--memory-limit"),
        std::string::npos)
        << refused.error().message();
}

TEST_F(RecordedRuns, ComeBackAsTheyWereWritten) {
    std::vector<TraceRecord> const records = keyswap::testing::sample_records_of_version_3();
    put({records.begin() + 1, records.end()});
    auto const run = read(1 << 20);
    ASSERT_TRUE(run.has_value()) << run.error().message();
    std::vector<TraceRecord> const again = records_of(*run);
    ASSERT_EQ(again.size(), records.size());
    EXPECT_EQ(again.front(), records.front());
    for (TraceRecord const& record : records) {
        EXPECT_EQ(std::ranges::count(again, record), std::ranges::count(records, record));
    }
}

} // namespace
} // namespace keyswap::model::verify
