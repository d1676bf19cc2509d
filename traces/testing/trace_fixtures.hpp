#pragma once

/// \file Traces for tests.

#include "traces/errors/try.hpp"
#include "traces/format/trace_line.hpp"
#include "traces/format/trace_reader.hpp"
#include "traces/records/records.hpp"
#include "traces/testing/temporary_folder.hpp"

#include <string>
#include <vector>

namespace keyswap::testing {

/// One record of each type of version 1.
inline std::vector<TraceRecord> sample_records() {
    RunHeader header;
    header.program = "keyswap 0.1.0";
    header.algorithm = "rmg";
    header.variant = "reference";
    header.key_count = std::uint64_t{1} << 63;
    header.gpus = {0, 2};
    header.input.distribution = "zipf";
    header.input.parameter = 0.5;
    header.input.content = digest_of(7);
    HistogramRecord dense{{0, 0}, GpuId{1}, 0, {3, 4, 5, 6}};
    HistogramRecord sparse{{1, 5}, GpuId{0}, 9, std::vector<std::uint64_t>(256, 0)};
    sparse.counts[17] = 12;
    return {header,
            dense,
            sparse,
            PlacementRecord{{1, 5}, 0, 18, GpuId{0}, GpuId{1}, PlacementState::spanning},
            OwnershipRecord{GpuId{1}, 10, 8},
            CopyRecord{GpuId{0}, 1, GpuId{1}, 2, 3},
            SortRangeRecord{GpuId{1}, 0, 8, 0, 24},
            DigestRecord{DigestStage::after_swap, GpuId{1}, {1, 5}, digest_of(42)},
            PhaseTimeRecord{GpuId{0}, Phase::key_swap, 0, -5, 1'000'000},
            VerdictRecord{"sorted", false, "key 3 is \"wrong\"\n"}};
}

/// The records of version 1 and those that version 2 added.
inline std::vector<TraceRecord> sample_records_of_version_2() {
    auto records = sample_records();
    auto& header = std::get<RunHeader>(records.front());
    header.version = 2;
    header.layout = SwapLayout::by_round;
    header.parameters = {{"oversampling", 30}, {"ways", 128}};
    records.emplace_back(CopyRecord{GpuId{0}, 1, GpuId{1}, 2, 3, 4});
    records.emplace_back(MergeRecord{4, GpuId{1}, 5, {6, 7}});
    records.emplace_back(MergeRecord{0, std::nullopt, 0, {9, 9, 9}});
    auto const function = [&](std::uint32_t buckets, BucketRule rule) {
        auto const id = static_cast<std::uint32_t>(records.size());
        records.emplace_back(BucketFunctionRecord{id, {1, 5}, {buckets, std::move(rule)}});
    };
    function(16, DigitBuckets{24, 4});
    function(10, DeltaBuckets{{0, 7}, {1, 0}});
    function(4, SplitterBuckets{{{0, 7}, {3, 0}}, {true, false}, Tie::left});
    function(2, PrimeBuckets{});
    function(100, HashBuckets{42});
    function(3, LabelBuckets{digest_at(0, digest_of(2)), "labels.npy"});
    function(5, ForeignBuckets{"mine"});
    records.emplace_back(HistogramRecord{{0, 0}, GpuId{1}, 0, {3, 4}, 2, 5});
    records.emplace_back(PartitionRecord{1,
                                         GpuId{1},
                                         {1, 5},
                                         14,
                                         2,
                                         7,
                                         "warp",
                                         Stability::stable,
                                         4,
                                         {0, 3},
                                         digest_at(3, digest_of(9)),
                                         digest_at(1, digest_of(5))});
    records.emplace_back(DigestRecord{DigestStage::after_step, GpuId{1}, {1, 5}, digest_of(42), 3});
    records.emplace_back(RelaxationRecord{3, 9, 4, 5, 20, 30, {4, 5}, digest_at(0, digest_of(1))});
    return records;
}

/// The records of version 2 and those that version 3 added.
inline std::vector<TraceRecord> sample_records_of_version_3() {
    auto records = sample_records_of_version_2();
    auto& header = std::get<RunHeader>(records.front());
    header.version = 3;
    header.operation = Operation::external_sort;
    header.input.more_files = {"second.csv", "third \"3\".csv"};
    header.input.format = "csv";
    header.input.column = "amount";
    records.emplace_back(
        ExternalSortRecord{100, 0, 10, 1 << 20, 1 << 18, 49'100, 95, 1'927, std::nullopt});
    records.emplace_back(ExternalSortRecord{8, 0, 8, 1 << 20, 1 << 18, 49'152, 95, 1'500, 1'500});
    records.emplace_back(
        RangeDivisionRecord{0, 1, 2'816, 1'445, 9'000, digest_at(1, digest_of(5))});
    records.emplace_back(KeyRangeRecord{
        0, std::nullopt, {0, 0}, {1, 7}, 9, std::nullopt, std::nullopt, std::nullopt});
    records.emplace_back(KeyRangeRecord{1, 0, {0, 0}, {1, 7}, 9, digest_of(3), 0, digest_of(3)});
    return records;
}

/// \pre the first record is a header
inline std::string text_of(std::vector<TraceRecord> const& records) {
    int const version = std::get<RunHeader>(records.front()).version;
    std::string text;
    for (TraceRecord const& record : records) {
        text += encode_line(record, version);
    }
    return text + encode_line(TraceEnd{records.size()}, version);
}

/// Reads a trace from memory under the name "a.trace".
inline Expected<std::vector<TraceRecord>> records_of(std::string text) {
    KEYSWAP_TRY(auto bytes, decompressed(bytes_of(std::move(text)), "a.trace"));
    TraceReader reader(std::move(bytes), "a.trace");
    std::vector<TraceRecord> records;
    while (true) {
        KEYSWAP_TRY(auto record, reader.next());
        if (!record) {
            return records;
        }
        records.push_back(std::move(*record));
    }
}

/// Appends a valid checksum to a JSON object that lacks its closing brace.
inline std::string sealed(std::string const& open_object) {
    return open_object + R"(,"crc32":")" + checksum_text(open_object) + "\"}\n";
}

} // namespace keyswap::testing
