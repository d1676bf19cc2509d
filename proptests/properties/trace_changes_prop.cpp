/// \file Any single change of any field of any record is found, or proved harmless independently of
/// the checker.

#include "model/verify/verify_trace.hpp"
#include "proptests/properties/change_harm.hpp"
#include "proptests/properties/change_tally.hpp"
#include "proptests/properties/field_change.hpp"
#include "proptests/properties/reference_run.hpp"
#include "proptests/properties/verified_run.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/format/trace_fields.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;
using model::verify::Report;

/// Checks that detect a wrong record of this kind; empty for headers, which affect all checks.
std::vector<model::verify::Check> checks_of(std::string const& record) {
    using enum model::verify::Check;
    static std::map<std::string, std::vector<model::verify::Check>> const of_kind{
        {"bucket_function", {functions, histograms}},
        {"histogram", {histograms, functions}},
        {"placement", {placements}},
        {"ownership", {ownership, balance}},
        {"copy", {copies}},
        {"sort_range", {sort_ranges}},
        {"merge", {merges}},
        {"digest", {digests_before_swap, digests_after_swap, digests_after_sort}},
        {"phase_time", {phase_times}},
        {"verdict", {run_verdicts}}};
    auto const found = of_kind.find(record);
    return found == of_kind.end() ? std::vector<model::verify::Check>() : found->second;
}

/// True if a difference is reported at the kind of record that was changed, not only at its
/// consequences.
bool names_record(Report const& report, std::string const& record) {
    auto const checks = checks_of(record);
    return checks.empty() ||
           std::ranges::any_of(
               report.differences, [&](model::verify::Difference const& difference) {
                   return std::ranges::find(checks, difference.check) != checks.end();
               });
}

/// Like found_as(), and fails if the difference is reported at another kind of record.
/// \param record kind of the changed record: "copy"
std::optional<std::string>
found_at_record(RecordedRun const& changed, Report const& unchanged, std::string const& record) {
    auto const report = model::verify::verify_run(changed);
    if (report && !report->holds()) {
        // Checks by the plan must find it first, since the proofs execute the records, too.
        RC_ASSERT(report->differences.front().check != model::verify::Check::output);
        if (!names_record(*report, record)) {
            RC_FAIL("a change of a " + record + " is reported as " +
                    sentence_of(report->differences.front()));
        }
    }
    return found_as(report, unchanged);
}

void expect_found_or_harmless(rc::Gen<RunHeader> const& headers, ChangeTallies& tallies) {
    RunHeader const header = *headers;
    auto const reference = record_reference(header);
    RC_ASSERT(reference.has_value());
    auto const run = header.version == 1 && reference->header.version > 1
                         ? std::optional(as_version_1(*reference))
                         : reference;
    auto const unchanged = assert_holds(*run);

    // Many changes per run, since making a run costs more than checking it. All derive from one
    // random number, so that shrinking is fast.
    auto const changes_seed = *rc::gen::arbitrary<std::uint64_t>();
    for (FieldChange const& change : changes_of_run(records_of(*run), changes_seed)) {
        auto records = records_of(*run);
        auto const field = change_field(records, change);
        if (!field) {
            continue;
        }
        RecordedRun const changed = model::verify::recorded_run_of("changed", records);
        ChangeTally& tally = tallies[field->record + "." + field->field];
        tally.changes += 1;
        if (auto const how = found_at_record(changed, unchanged, field->record)) {
            tally.found_as[*how] += 1;
            continue;
        }
        auto const harm = observable_change(changed, {*field});
        if (harm) {
            RC_FAIL("a change of " + field->record + "." + field->field +
                    " was not found: " + *harm);
        }
        tally.harmless += 1;
    }
}

/// Each decision is recorded once; a second, contradicting record must be found.
void expect_second_records_found(rc::Gen<RunHeader> const& headers, ChangeTallies& tallies) {
    auto const run = record_reference(*headers);
    RC_ASSERT(run.has_value());
    auto const unchanged = report_of(*run);
    auto const seed = *rc::gen::arbitrary<std::uint64_t>();
    for (std::uint64_t i = 0; i < 10; ++i) {
        std::uint64_t const random = mix_bits(seed + i);
        auto records = records_of(*run);
        auto changed = records;
        FieldChange const change{static_cast<std::size_t>(random >> 40) % records.size(),
                                 static_cast<std::size_t>(random >> 20 & 0xfffff),
                                 mix_bits(random)};
        auto const field = change_field(changed, change);
        bool const says_more = field && field->record != "header" && field->record != "verdict";
        if (!says_more) {
            continue;
        }
        records.push_back(changed[change.record]);
        tallies[field->record].changes += 1;
        RecordedRun const twice = model::verify::recorded_run_of("twice", records);
        if (!found_at_record(twice, unchanged, field->record)) {
            tallies[field->record].harmless += 1;
            if (auto const harm = observable_change(twice, {*field})) {
                RC_FAIL("a second record of " + field->record + " with another " + field->field +
                        " was not found: " + *harm);
            }
        }
    }
}

TEST(TraceChanges, AnySingleChangeOfAFieldIsFoundOrHarmless) {
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a change of a recorded run of RMG sort is found or harmless",
                          [&] { expect_found_or_harmless(any_run_header(300), tallies); }));
    // Every kind of record, as the property claims.
    expect_found(tallies,
                 {"header.seed",
                  "header.key_count",
                  "histogram.counts",
                  "histogram.offset",
                  "placement.prefix",
                  "placement.first",
                  "ownership.base",
                  "copy.source_offset",
                  "sort_range.end_bit",
                  "digest.low",
                  "digest.high",
                  "verdict.holds"});
    print_tallies(tallies);
}

TEST(TraceChanges, ASecondRecordThatSaysSomethingElseIsFound) {
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a second, different record of a run of RMG sort is found or harmless",
                          [&] { expect_second_records_found(any_run_header(300), tallies); }));
    expect_found(tallies, {"histogram", "placement", "ownership", "copy", "sort_range", "digest"});
}

TEST(TraceChanges, AnySingleChangeOfAMergeSortIsFoundOrHarmless) {
    ChangeTallies tallies;
    EXPECT_TRUE(rc::check("a change of a recorded merge sort is found or harmless",
                          [&] { expect_found_or_harmless(any_merge_header(300), tallies); }));
    expect_found(tallies, {"copy.count", "copy.stage", "merge.stage", "merge.runs"});
    print_tallies(tallies);
}

TEST(TraceChanges, AnySingleChangeOfASampleSortIsFoundOrHarmless) {
    ChangeTallies tallies;
    auto const headers = rc::gen::map(any_run_header(300), [](RunHeader header) {
        header.version = 2;
        header.algorithm = "sample-sort";
        header.key_type = every_key_type[header.input.seed % every_key_type.size()];
        header.parameters = {{"ways", 2 + header.input.seed % 9},
                             {"oversampling", 4},
                             {"sample-seed", header.input.seed % 3}};
        return header;
    });
    EXPECT_TRUE(rc::check("a change of a recorded sample sort is found or harmless",
                          [&] { expect_found_or_harmless(headers, tallies); }));
    expect_found(tallies,
                 {"bucket_function.rule",
                  "bucket_function.buckets",
                  "histogram.function",
                  "histogram.counts"});
    print_tallies(tallies);
}

TEST(TraceChanges, AnUnchangedRunIsCarriedOutToTheSortedInput) {
    EXPECT_TRUE(rc::check("records of a run give the sorted output", [] {
        RunHeader header = *any_run_header(300);
        header.algorithm =
            *rc::gen::element<std::string>("rmg", "p2p-merge", "het-merge", "sample-sort");
        if (header.algorithm == "p2p-merge") {
            header.gpus.resize(header.gpus.size() > 3 ? 4 : 2);
        }
        auto const algorithm = find_algorithm_info(header.algorithm).value();
        header.key_type = *rc::gen::elementOf(algorithm->key_types);
        auto const run = record_reference(header);
        RC_ASSERT(run.has_value());
        RC_ASSERT(carry_out(*run) == std::nullopt);
    }));
}

TEST(TraceChanges, CarryingOutNoticesALostCopy) {
    RunHeader header;
    header.algorithm = "rmg";
    header.key_count = 100;
    header.gpus = {0, 1, 2};
    header.input.distribution = "uniform";
    header.input.generator_version = 2;
    auto run = record_reference(header);
    ASSERT_TRUE(run.has_value());
    ASSERT_EQ(carry_out(*run), std::nullopt);
    run->copies.pop_back();
    EXPECT_NE(carry_out(*run), std::nullopt);
}

} // namespace
} // namespace keyswap::proptests
