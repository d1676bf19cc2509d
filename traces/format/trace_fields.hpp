#pragma once

/// \file The fields of every record, listed once for both the writer and the reader of the text
/// format, so that they cannot disagree. Names carry the unit; positions are in keys.
/// `since` lists fields of later versions: in older traces the field is absent and has its
/// default value. For anything else that depends on the version, use field.version().

#include "traces/records/records.hpp"

#include <array>
#include <concepts>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <variant>

namespace keyswap {

/// Matches a record for writing (const) or reading (not const).
template <class Given, class Record>
concept Of = std::same_as<std::remove_const_t<Given>, Record>;

/// A record type's name in the text format, and the first version of the format with the type.
struct RecordKind {
    std::string_view name;
    int version = 1;
};

/// [type] in the order of TraceRecord.
inline constexpr std::array<RecordKind, std::variant_size_v<TraceRecord>> record_kinds{
    {{"header"},
     {"bucket_function", 2},
     {"histogram"},
     {"partition", 2},
     {"placement"},
     {"ownership"},
     {"copy"},
     {"sort_range"},
     {"merge", 2},
     {"digest"},
     {"relaxation", 2},
     {"external_sort", 3},
     {"range_division", 3},
     {"key_range", 3},
     {"phase_time"},
     {"verdict"}}};

/// [rule] names in the order of BucketRule.
inline constexpr std::array<std::string_view, std::variant_size_v<BucketRule>> rule_words{
    "digit", "delta", "splitters", "prime", "hash", "labels", "foreign"};

/// Index of an alternative of a variant.
template <class Alternative, class... Alternatives>
constexpr std::size_t index_in(std::variant<Alternatives...> const* /*type*/) {
    std::size_t index = 0;
    static_cast<void>(((std::same_as<Alternative, Alternatives> || (++index, false)) || ...));
    return index;
}

template <class Record>
inline constexpr RecordKind record_kind =
    record_kinds[index_in<Record>(static_cast<TraceRecord const*>(nullptr))];

template <class Digest>
requires Of<Digest, MultisetDigest> || Of<Digest, SequenceDigest>
void visit_fields(Digest& digest, auto& field) {
    field("count", digest.count);
    field.hex("low", digest.low);
    field.hex("high", digest.high);
}

void visit_fields(Of<InputRecord> auto& input, auto& field) {
    field("distribution", input.distribution);
    field("parameter", input.parameter);
    field("seed", input.seed);
    field("generator_version", input.generator_version);
    field("file", input.file);
    field("content", input.content);
    field.since(3, "more_files", input.more_files);
    field.since(3, "format", input.format);
    field.since(3, "column", input.column);
}

void visit_fields(Of<RunHeader> auto& header, auto& field) {
    field("program", header.program);
    field("commit", header.commit);
    field("created", header.created);
    field("device", header.device);
    field("driver", header.driver);
    field("algorithm", header.algorithm);
    field("variant", header.variant);
    field("key_count", header.key_count);
    field("gpus", header.gpus);
    field("virtual_gpus", header.virtual_gpus);
    field("key_type", header.key_type);
    field("direction", header.direction);
    field("value_type", header.value_type);
    field("stability", header.stability);
    field("zero_order", header.zero_order);
    field("digit_bits", header.digit_bits);
    field("tolerance_ppm", header.tolerance_ppm);
    field("fuse_ppm", header.fuse_ppm);
    field("input", header.input);
    field.since(2, "operation", header.operation);
    field.since(2, "layout", header.layout);
    field.since(2, "parameters", header.parameters);
}

void visit_fields(Of<BucketPrefix> auto& bucket, auto& field) {
    field("pass", bucket.pass);
    field("prefix", bucket.prefix);
}

void visit_fields(Of<DigitBuckets> auto& rule, auto& field) {
    field("shift", rule.shift);
    field("bits", rule.bits);
}

void visit_fields(Of<DeltaBuckets> auto& rule, auto& field) {
    field("origin", rule.origin);
    field("width", rule.width);
}

void visit_fields(Of<SplitterBuckets> auto& rule, auto& field) {
    field("splitters", rule.splitters);
    field("equality", rule.equality);
    field("tie", rule.tie);
}

void visit_fields(Of<PrimeBuckets> auto& /*rule*/, auto& /*field*/) {}

void visit_fields(Of<HashBuckets> auto& rule, auto& field) {
    field("seed", rule.seed);
}

void visit_fields(Of<LabelBuckets> auto& rule, auto& field) {
    field("labels", rule.labels);
    field("file", rule.file);
}

void visit_fields(Of<ForeignBuckets> auto& rule, auto& field) {
    field("name", rule.name);
}

void visit_fields(Of<BucketFunctionRecord> auto& record, auto& field) {
    field("id", record.id);
    visit_fields(record.bucket, field);
    field("buckets", record.function.buckets);
    field.rule(record.function.rule);
}

void visit_fields(Of<HistogramRecord> auto& record, auto& field) {
    visit_fields(record.bucket, field);
    field("gpu", record.gpu);
    field("offset", record.offset);
    field.counts(record.counts);
    field.since(2, "step", record.step);
    field.since(2, "function", record.function);
}

void visit_fields(Of<PartitionRecord> auto& record, auto& field) {
    field("step", record.step);
    field("gpu", record.gpu);
    visit_fields(record.bucket, field);
    field("function", record.function);
    field("offset", record.offset);
    field("count", record.count);
    field("method", record.method);
    field("stability", record.stability);
    field("tile_keys", record.tile_keys);
    field("starts", record.starts);
    field("table", record.table);
    field("output", record.output);
}

void visit_fields(Of<PlacementRecord> auto& record, auto& field) {
    visit_fields(record.bucket, field);
    field("begin", record.begin);
    field("end", record.end);
    field("first", record.first);
    field("last", record.last);
    field("state", record.state);
}

void visit_fields(Of<OwnershipRecord> auto& record, auto& field) {
    field("gpu", record.gpu);
    field("base", record.base);
    field("count", record.count);
}

void visit_fields(Of<CopyRecord> auto& record, auto& field) {
    field("source", record.source);
    field("source_offset", record.source_offset);
    field("destination", record.destination);
    field("destination_offset", record.destination_offset);
    field("count", record.count);
    field.since(2, "stage", record.stage);
}

void visit_fields(Of<SortRangeRecord> auto& record, auto& field) {
    field("gpu", record.gpu);
    field("offset", record.offset);
    field("count", record.count);
    field("begin_bit", record.begin_bit);
    field("end_bit", record.end_bit);
}

void visit_fields(Of<MergeRecord> auto& record, auto& field) {
    field("stage", record.stage);
    field("gpu", record.gpu);
    field("offset", record.offset);
    field("runs", record.runs);
}

void visit_fields(Of<DigestRecord> auto& record, auto& field) {
    field("stage", record.stage);
    field("gpu", record.gpu);
    visit_fields(record.bucket, field);
    visit_fields(record.digest, field);
    field.since(2, "step", record.step);
}

void visit_fields(Of<RelaxationRecord> auto& record, auto& field) {
    field("round", record.round);
    field("pending", record.pending);
    field("frontier", record.frontier);
    field("improved", record.improved);
    field("lower", record.lower);
    field("split", record.split);
    field("counts", record.counts);
    field("distances", record.distances);
}

void visit_fields(Of<ExternalSortRecord> auto& record, auto& field) {
    field("record_bytes", record.record_bytes);
    field("key_offset", record.key_offset);
    field("key_bytes", record.key_bytes);
    field("memory_bytes", record.memory_bytes);
    field("reserve_bytes", record.reserve_bytes);
    field("block_bytes", record.block_bytes);
    field("ranges_max", record.ranges_max);
    field("records_max", record.records_max);
    field("gpu_records_max", record.gpu_records_max);
}

void visit_fields(Of<RangeDivisionRecord> auto& record, auto& field) {
    field("range", record.range);
    field("seed", record.seed);
    field("draws", record.draws);
    field("planned_records", record.planned_records);
    field("buffer_bytes", record.buffer_bytes);
    field("sample", record.sample);
}

void visit_fields(Of<KeyRangeRecord> auto& record, auto& field) {
    field("id", record.id);
    field("parent", record.parent);
    field("lowest", record.lowest);
    field("highest", record.highest);
    field("count", record.count);
    field("digest", record.digest);
    field("place", record.place);
    field("output", record.output);
}

void visit_fields(Of<PhaseTimeRecord> auto& record, auto& field) {
    field("gpu", record.gpu);
    field("phase", record.phase);
    field("pass", record.pass);
    field("begin_ns", record.begin_ns);
    field("end_ns", record.end_ns);
}

void visit_fields(Of<VerdictRecord> auto& record, auto& field) {
    field("property", record.property);
    field("holds", record.holds);
    field("detail", record.detail);
}

} // namespace keyswap
