/// \file Any single field change in a recorded partition, histogram or search is found, or proved
/// harmless independently of the checker.

#include "model/external/external_records.hpp"
#include "model/verify/verify_trace.hpp"
#include "proptests/properties/change_harm.hpp"
#include "proptests/properties/change_tally.hpp"
#include "proptests/properties/field_change.hpp"
#include "proptests/properties/reference_external.hpp"
#include "proptests/properties/reference_partition.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;

/// Verdicts without their texts.
bool same_verdicts(std::vector<VerdictRecord> const& a, std::vector<VerdictRecord> const& b) {
    return std::ranges::equal(a, b, [](VerdictRecord const& one, VerdictRecord const& other) {
        return one.property == other.property && one.holds == other.holds;
    });
}

/// Proves a change harmless: the run named by the changed header and functions produces exactly
/// these records. Only tile sizes may differ, if the table matches them.
bool is_harmless_partition(RecordedRun const& changed, std::vector<std::uint32_t> const& column) {
    PartitionCase const one = case_of(changed, column);
    auto genuine = record_partitions(one);
    if (!genuine || genuine->partitions.size() != changed.partitions.size()) {
        return false;
    }
    for (std::size_t i = 0; i < changed.partitions.size(); ++i) {
        PartitionRecord const& recorded = changed.partitions[i];
        if (recorded.table && table_of(one, recorded) == recorded.table) {
            genuine->partitions[i].tile_keys = recorded.tile_keys;
            genuine->partitions[i].table = recorded.table;
        }
    }
    return changed.functions == genuine->functions &&
           filled(changed.histograms) == filled(genuine->histograms) &&
           changed.partitions == genuine->partitions && changed.digests == genuine->digests &&
           changed.placements == genuine->placements && changed.copies == genuine->copies &&
           filled(changed.ownership) == filled(genuine->ownership) &&
           same_verdicts(changed.verdicts, genuine->verdicts);
}

bool is_harmless_search(RecordedRun const& changed) {
    auto const genuine = record_search(changed.header);
    return genuine && changed.relaxations == genuine->relaxations &&
           same_verdicts(changed.verdicts, genuine->verdicts);
}

/// True for no parameters, or only the one that marks a streamed input.
bool has_external_parameters(RunHeader const& header) {
    std::map<std::string, std::uint64_t> const streamed{
        {std::string(model::streamed_parameter), 1}};
    return header.parameters.empty() || header.parameters == streamed;
}

bool is_harmless_external(RecordedRun const& changed) {
    auto const genuine = record_external(changed);
    RunHeader const& header = changed.header;
    return genuine && header.operation == Operation::external_sort &&
           header.value_type == ValueType::none && header.stability == Stability::stable &&
           header.zero_order == ZeroOrder::total && has_external_parameters(header) &&
           header.input.content == genuine->header.input.content &&
           changed.external_sorts == genuine->external_sorts &&
           changed.range_divisions == genuine->range_divisions &&
           changed.key_ranges == genuine->key_ranges &&
           same_verdicts(changed.verdicts, genuine->verdicts);
}

/// Checks changes of one run, of every field of it at least one.
void change_run(RecordedRun const& run,
                std::function<bool(RecordedRun const&)> const& is_harmless,
                ChangeTallies& tallies) {
    auto const unchanged = assert_holds(run);
    auto const seed = *rc::gen::arbitrary<std::uint64_t>();
    for (FieldChange const& change : changes_of_run(records_of(run), seed)) {
        auto records = records_of(run);
        auto const field = change_field(records, change);
        if (!field) {
            continue;
        }
        RecordedRun const changed = model::verify::recorded_run_of("changed", records);
        ChangeTally& tally = tallies[field->record + "." + field->field];
        tally.changes += 1;
        if (auto const how = found_as(model::verify::verify_run(changed), unchanged)) {
            tally.found_as[*how] += 1;
            continue;
        }
        if (field->record != "phase_time" && field->field != "detail" && !is_harmless(changed)) {
            RC_FAIL("a change of " + field->record + "." + field->field + " was not found");
        }
        tally.harmless += 1;
    }
}

/// Checks changes of a random partition case.
void change_partitions(rc::Gen<PartitionCase> const& cases, ChangeTallies& tallies) {
    PartitionCase const one = *cases;
    auto const run = record_partitions(one);
    RC_ASSERT(run.has_value());
    change_run(
        *run,
        [&one](RecordedRun const& changed) { return is_harmless_partition(changed, one.column); },
        tallies);
}

TEST(OperationChanges, AnySingleChangeOfAMultisplitIsFoundOrHarmless) {
    testing::TemporaryFolder const folder;
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a change of a multisplit is found or harmless",
                          [&] { change_partitions(any_multisplit(folder), tallies); }));
    expect_found(tallies,
                 {"bucket_function.id",
                  "bucket_function.buckets",
                  "bucket_function.rule",
                  "bucket_function.splitters",
                  "bucket_function.labels",
                  "histogram.counts",
                  "histogram.step",
                  "histogram.function",
                  "partition.step",
                  "partition.function",
                  "partition.offset",
                  "partition.count",
                  "partition.method",
                  "partition.stability",
                  "partition.tile_keys",
                  "partition.starts",
                  "partition.table",
                  "partition.output",
                  "digest.step",
                  "digest.prefix",
                  "digest.low",
                  "verdict.holds"});
    EXPECT_GE(print_tallies(tallies), 2'000U);
}

TEST(OperationChanges, AnySingleChangeOfAShuffleIsFoundOrHarmless) {
    testing::TemporaryFolder const folder;
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a change of a shuffle is found or harmless",
                          [&] { change_partitions(any_shuffle(folder), tallies); }));
    expect_found(tallies,
                 {"header.layout",
                  "placement.begin",
                  "placement.first",
                  "placement.state",
                  "ownership.count",
                  "copy.source_offset",
                  "copy.destination",
                  "copy.count",
                  "copy.stage",
                  "digest.stage",
                  "digest.gpu"});
    EXPECT_GE(print_tallies(tallies), 2'000U);
}

TEST(OperationChanges, AnySingleChangeOfASortByStepsIsFoundOrHarmless) {
    testing::TemporaryFolder const folder;
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a change of a sort by steps is found or harmless", [&] {
        auto const run = record_partitions(*any_sort_by_steps());
        RC_ASSERT(run.has_value());
        change_run(
            *run,
            [](RecordedRun const& changed) { return is_harmless_partition(changed, {}); },
            tallies);
    }));
    expect_found(tallies, {"partition.step", "partition.output", "bucket_function.shift"});
    EXPECT_GE(print_tallies(tallies), 2'000U);
}

TEST(OperationChanges, AnySingleChangeOfAHistogramIsFoundOrHarmless) {
    testing::TemporaryFolder const folder;
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a change of a histogram is found or harmless",
                          [&] { change_partitions(any_histogram_case(folder), tallies); }));
    expect_found(tallies, {"histogram.counts", "histogram.function"});
    print_tallies(tallies);
}

TEST(OperationChanges, AnySingleChangeOfAnExternalSortIsFoundOrHarmless) {
    testing::TemporaryFolder const folder;
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a change of an external sort is found or harmless", [&] {
        auto const run = record_external(*any_external_sort(folder));
        RC_ASSERT(run.has_value());
        change_run(*run, is_harmless_external, tallies);
    }));
    expect_found(tallies,
                 {"external_sort.record_bytes",
                  "external_sort.key_offset",
                  "external_sort.key_bytes",
                  "external_sort.memory_bytes",
                  "external_sort.reserve_bytes",
                  "external_sort.block_bytes",
                  "external_sort.ranges_max",
                  "external_sort.records_max",
                  "external_sort.gpu_records_max",
                  "header.more_files",
                  "range_division.range",
                  "range_division.seed",
                  "range_division.draws",
                  "range_division.planned_records",
                  "range_division.buffer_bytes",
                  "range_division.sample",
                  "key_range.id",
                  "key_range.parent",
                  "key_range.lowest",
                  "key_range.highest",
                  "key_range.count",
                  "key_range.digest",
                  "key_range.place",
                  "key_range.output"});
    EXPECT_GE(print_tallies(tallies), 2'000U);
}

TEST(OperationChanges, AnySingleChangeOfASearchIsFoundOrHarmless) {
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a change of a search is found or harmless", [&] {
        auto const run = record_search(*any_path_header());
        RC_ASSERT(run.has_value());
        change_run(*run, is_harmless_search, tallies);
    }));
    expect_found(tallies,
                 {"relaxation.round",
                  "relaxation.pending",
                  "relaxation.frontier",
                  "relaxation.improved",
                  "relaxation.lower",
                  "relaxation.split",
                  "relaxation.counts",
                  "relaxation.distances"});
    EXPECT_GE(print_tallies(tallies), 1'000U);
}

} // namespace
} // namespace keyswap::proptests
