#pragma once

/// \file The fields of every record, listed once for both the writer and the reader of the text
/// format, so that they cannot disagree. Names carry the unit; positions are in keys.
/// `since` lists fields of later versions: in older traces the field is absent and has its
/// default value. For anything else that depends on the version, use field.version().

#include "traces/records/records.hpp"

#include <concepts>
#include <type_traits>

namespace keyswap {

/// Matches a record for writing (const) or reading (not const).
template <class Given, class Record>
concept Of = std::same_as<std::remove_const_t<Given>, Record>;

template <class Record>
inline constexpr char const* record_name = nullptr;
template <>
inline constexpr char const* record_name<RunHeader> = "header";
template <>
inline constexpr char const* record_name<BucketFunctionRecord> = "bucket_function";
template <>
inline constexpr char const* record_name<HistogramRecord> = "histogram";
template <>
inline constexpr char const* record_name<PartitionRecord> = "partition";
template <>
inline constexpr char const* record_name<PlacementRecord> = "placement";
template <>
inline constexpr char const* record_name<OwnershipRecord> = "ownership";
template <>
inline constexpr char const* record_name<CopyRecord> = "copy";
template <>
inline constexpr char const* record_name<SortRangeRecord> = "sort_range";
template <>
inline constexpr char const* record_name<MergeRecord> = "merge";
template <>
inline constexpr char const* record_name<DigestRecord> = "digest";
template <>
inline constexpr char const* record_name<RelaxationRecord> = "relaxation";
template <>
inline constexpr char const* record_name<ExternalSortRecord> = "external_sort";
template <>
inline constexpr char const* record_name<RangeDivisionRecord> = "range_division";
template <>
inline constexpr char const* record_name<KeyRangeRecord> = "key_range";
template <>
inline constexpr char const* record_name<PhaseTimeRecord> = "phase_time";
template <>
inline constexpr char const* record_name<VerdictRecord> = "verdict";

/// First version of the format with the record type.
template <class Record>
inline constexpr int record_version = 1;
template <>
inline constexpr int record_version<MergeRecord> = 2;
template <>
inline constexpr int record_version<BucketFunctionRecord> = 2;
template <>
inline constexpr int record_version<PartitionRecord> = 2;
template <>
inline constexpr int record_version<RelaxationRecord> = 2;
template <>
inline constexpr int record_version<ExternalSortRecord> = 3;
template <>
inline constexpr int record_version<RangeDivisionRecord> = 3;
template <>
inline constexpr int record_version<KeyRangeRecord> = 3;

/// The rule's name in the field that identifies it.
template <class Rule>
inline constexpr char const* rule_word = nullptr;
template <>
inline constexpr char const* rule_word<DigitBuckets> = "digit";
template <>
inline constexpr char const* rule_word<DeltaBuckets> = "delta";
template <>
inline constexpr char const* rule_word<SplitterBuckets> = "splitters";
template <>
inline constexpr char const* rule_word<PrimeBuckets> = "prime";
template <>
inline constexpr char const* rule_word<HashBuckets> = "hash";
template <>
inline constexpr char const* rule_word<LabelBuckets> = "labels";
template <>
inline constexpr char const* rule_word<ForeignBuckets> = "foreign";

void visit_fields(Of<MultisetDigest> auto& digest, auto& field) {
    field("count", digest.count);
    field.hex("low", digest.low);
    field.hex("high", digest.high);
}

void visit_fields(Of<SequenceDigest> auto& digest, auto& field) {
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
