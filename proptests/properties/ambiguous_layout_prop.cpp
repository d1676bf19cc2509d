/// \file Runs whose records can be read in several ways: each fault is reported once, and records
/// that follow from missing ones are not reported as wrong.

#include "model/sorts/rmg/key_swap.hpp"
#include "model/verify/expected/expected_run.hpp"
#include "model/verify/sorts/sort_checks.hpp"
#include "model/verify/verify_trace.hpp"
#include "proptests/properties/arbitrary_valid_run.hpp"
#include "proptests/properties/reference_partition.hpp"
#include "proptests/properties/reference_run.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>

namespace keyswap::proptests {
namespace {

using model::verify::Check;
using model::verify::RecordedRun;
using model::verify::Report;

struct PlannedRun {
    RecordedRun run;
    model::Plan plan;
};

PlannedRun any_planned_run() {
    auto run = record_reference(*any_run_header(400));
    RC_ASSERT(run.has_value());
    auto const config = model::verify::config_of(run->header);
    auto const input = model::verify::find_input(run->header);
    RC_ASSERT(config.has_value() && input.has_value());
    auto plan = model::verify::plan_as_recorded(*config, input->input->source(), *run);
    RC_ASSERT(plan.has_value());
    return {std::move(*run), std::move(*plan)};
}

/// Copies that match neither layout are evidence for neither.
TEST(AmbiguousLayout, AreReadByBucketWhereBothLayoutsExplainThemEquallyBadly) {
    std::size_t ties = 0;
    EXPECT_TRUE(rc::check("a tie is read by bucket", [&ties] {
        auto [run, plan] = any_planned_run();
        if (plan.passes.size() < 2) {
            return; // these use the layout by rounds
        }
        std::size_t const by_bucket =
            model::verify::merged_copies(model::merged_copies(plan)).size();
        std::size_t const by_source = model::verify::copies_by_pair(plan).size();
        run.header.version = 1;
        run.header.variant = "fast";
        run.copies.clear(); // each layout then misses all its copies
        if (by_bucket > 0) {
            SwapLayout const expected =
                by_source < by_bucket ? SwapLayout::by_source : SwapLayout::by_bucket;
            RC_ASSERT(model::verify::layout_of(run, plan) == expected);
            ties += by_source == by_bucket ? 1 : 0;
        }
    }));
    EXPECT_GE(ties, 3U) << "the random runs offer no tie";
}

/// If a GPU sorts beyond its keys, exactly one difference reports where that begins.
TEST(AmbiguousLayout, ReportARangeOutsideOfAGpusKeysOnce) {
    EXPECT_TRUE(rc::check("ranges outside", [] {
        auto [run, plan] = any_planned_run();
        OwnershipRecord const owner =
            plan.ownership[*rc::gen::inRange<std::size_t>(0, plan.ownership.size())];
        std::erase_if(run.sort_ranges,
                      [&owner](SortRangeRecord const& range) { return range.gpu == owner.gpu; });
        auto const far = *rc::gen::inRange<std::uint64_t>(1, 1000);
        int const key_bits = plan.layout.key_bits();
        for (std::uint64_t i = 0; i < 3; ++i) {
            run.sort_ranges.push_back({owner.gpu, owner.count + far + 10 * i, 5, 0, key_bits});
        }
        Report report;
        model::verify::verify_sort_ranges(run, plan, report);
        RC_ASSERT(std::ranges::count(report.differences,
                                     "It sorts keys that are not the GPU's.",
                                     &model::verify::Difference::consequence) == 1);
        RC_ASSERT(std::ranges::count(report.differences,
                                     std::optional(owner.gpu),
                                     &model::verify::Difference::gpu) == 1);
    }));
}

/// Such a plan has too many runs to be listed, but the sorted runs can still be checked.
TEST(AmbiguousLayout, RangesOfMoreRunsThanAPlanListsAreChecked) {
    constexpr std::uint64_t key_count = std::uint64_t{1} << 21;
    constexpr std::uint64_t run_keys = 2;
    RecordedRun run;
    run.header.version = 2;
    run.header.algorithm = "network-merge";
    run.header.variant = "published";
    run.header.key_count = key_count;
    run.header.gpus = {0};
    run.header.parameters = {{"run-keys", run_keys}};
    run.ownership = {{GpuId{0}, 0, key_count}};
    for (std::uint64_t begin = 0; begin < key_count; begin += run_keys) {
        run.sort_ranges.push_back({GpuId{0}, begin, run_keys, 0, 32});
    }
    auto const differences = [&run] {
        auto const report = model::verify::verify_run(run);
        return report ? report->differences.size() : 1000;
    };
    EXPECT_EQ(differences(), 0U);
    run.sort_ranges.back().count -= 1;
    EXPECT_EQ(differences(), 1U);
}

/// Ownership follows from the counts. If all counts are missing, the trace is incomplete, and its
/// exchange can be neither confirmed nor refuted.
TEST(AmbiguousLayout, ExchangesWithoutCountsAreListedAsNotChecked) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("a shuffle without its counts", [&folder] {
        auto run = record_partitions(*any_shuffle(folder));
        RC_ASSERT(run.has_value());
        run->histograms.clear();
        run->partitions.clear();
        run->digests.clear();
        auto const report = assert_differs(*run);
        RC_ASSERT(count_of(report, model::verify::Verdict::incomplete_trace) > 0);
        for (Check const check : {Check::placements, Check::copies, Check::digests_after_swap}) {
            RC_ASSERT(std::ranges::count(report.checked, check) == 0);
        }
        RC_ASSERT(std::ranges::any_of(report.unchecked, [](auto const& unchecked) {
            return unchecked.check == Check::placements &&
                   unchecked.reason == "the counts of the shuffle are not known";
        }));
    }));
}

/// Removes all records of a kind. \returns the checks of these records, which the report need not
/// list any more
std::set<Check> remove_records(RecordedRun& run, int kind) {
    using enum Check;
    switch (kind) {
    case 0:
        run.functions.clear();
        return {functions};
    case 1:
        run.histograms.clear();
        return {histograms};
    case 2:
        run.partitions.clear();
        return {partitions};
    case 3:
        run.placements.clear();
        return {placements};
    case 4:
        run.ownership.clear();
        return {ownership, balance};
    case 5:
        run.copies.clear();
        return {copies};
    case 6:
        run.sort_ranges.clear();
        return {sort_ranges};
    case 7:
        run.merges.clear();
        return {merges};
    case 8:
        run.digests.clear();
        return {digests_before_swap, digests_after_swap, digests_after_sort, digests_after_step};
    case 9:
        run.relaxations.clear();
        return {rounds};
    case 10:
        run.phase_times.clear();
        return {phase_times};
    case 11:
        run.verdicts.clear();
        return {run_verdicts};
    default:
        run.header.input.generator_version = 99; // keys that cannot be generated again
        return {input, output};                  // the input is among these keys
    }
}

/// Checks of the record kinds that the run contains.
std::set<Check> checks_with_records(RecordedRun const& run) {
    using enum Check;
    std::set<Check> checks;
    auto const add = [&checks](auto const& records, Check check) {
        if (!records.empty()) {
            checks.insert(check);
        }
    };
    add(run.histograms, histograms);
    add(run.partitions, partitions);
    add(run.placements, placements);
    add(run.ownership, ownership);
    add(run.copies, copies);
    add(run.sort_ranges, sort_ranges);
    add(run.relaxations, rounds);
    add(run.phase_times, phase_times);
    add(run.verdicts, run_verdicts);
    for (DigestRecord const& digest : run.digests) {
        checks.insert(digest.stage == DigestStage::after_step    ? digests_after_step
                      : digest.stage == DigestStage::before_swap ? digests_before_swap
                      : digest.stage == DigestStage::after_swap  ? digests_after_swap
                                                                 : digests_after_sort);
    }
    return checks;
}

/// Every record is checked by the check of its kind; checks of the whole run are either made or
/// listed with a reason if part of the run is missing and no difference was found.
TEST(AmbiguousLayout, NothingIsLeftOutInSilence) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("checks are made or listed", [&folder] {
        RecordedRun run = arbitrary_valid_run(folder);
        auto const whole = assert_holds(run);
        RC_ASSERT(std::ranges::count(whole.checked, Check::input) == 1);
        for (Check const check : checks_with_records(run)) {
            RC_LOG() << "records of " << to_string(check) << '\n';
            RC_ASSERT(std::ranges::count(whole.checked, check) == 1);
        }
        int const kind =
            *rc::gen::weightedOneOf<int>({{1, rc::gen::inRange(0, 12)}, {1, rc::gen::just(12)}});
        std::set<Check> accounted = remove_records(run, kind);
        auto const part = model::verify::verify_run(run);
        if (!part || !part->holds()) {
            return; // refused, or known to be incomplete
        }
        accounted.insert(part->checked.begin(), part->checked.end());
        for (model::verify::Unchecked const& unchecked : part->unchecked) {
            accounted.insert(unchecked.check);
            RC_ASSERT(!unchecked.reason.empty());
        }
        for (Check const check : whole.checked) {
            RC_LOG() << kind << " without " << to_string(check) << '\n';
            RC_ASSERT(accounted.contains(check));
        }
    }));
}

template <class Record>
void shuffle(std::vector<Record>& records) {
    for (std::size_t left = records.size(); left > 1; --left) {
        std::swap(records[left - 1], records[*rc::gen::inRange<std::size_t>(0, left)]);
    }
}

/// GPUs write concurrently, so records of a kind may come in any order. Empty copies and phases of
/// zero duration carry no information.
TEST(AmbiguousLayout, TheOrderOfRecordsAndThoseOfNothingChangeNothing) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("another order of records", [&folder] {
        RecordedRun run = arbitrary_valid_run(folder);
        shuffle(run.histograms);
        shuffle(run.partitions);
        shuffle(run.placements);
        shuffle(run.ownership);
        shuffle(run.sort_ranges);
        shuffle(run.digests);
        shuffle(run.copies);
        if (!run.copies.empty()) {
            CopyRecord nothing = run.copies.front();
            nothing.count = 0;
            run.copies.push_back(nothing);
        }
        for (PhaseTimeRecord& time : run.phase_times) {
            time.end_ns = time.begin_ns;
        }
        auto const report = report_of(run);
        for (model::verify::Difference const& difference : report.differences) {
            RC_LOG(sentence_of(difference));
        }
        RC_ASSERT(report.holds());
    }));
}

TEST(AmbiguousLayout, RunsWithoutDigestsSayThatNoneAreChecked) {
    EXPECT_TRUE(rc::check("a sort by buckets without digests", [] {
        auto run = record_reference(*any_run_header(400));
        RC_ASSERT(run.has_value());
        run->digests.clear();
        run->header.input.content.reset();
        auto const report = assert_holds(*run);
        RC_ASSERT(std::ranges::any_of(report.unchecked, [](auto const& unchecked) {
            return unchecked.check == Check::digests_after_swap &&
                   unchecked.reason == "the trace has no digests";
        }));
    }));
}

/// Every record of a mandatory operation must be present.
TEST(AmbiguousLayout, AMissingRecordIsFound) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("a record less", [&folder] {
        auto records = model::verify::records_of(arbitrary_valid_run(folder));
        auto const whole = model::verify::verify_run(model::verify::recorded_run_of("", records));
        auto const place = *rc::gen::inRange<std::size_t>(1, records.size());
        TraceRecord const taken = records[place];
        auto const* const counts = std::get_if<HistogramRecord>(&taken);
        auto const* const step = std::get_if<PartitionRecord>(&taken);
        auto const* const owner = std::get_if<OwnershipRecord>(&taken);
        auto const* const placement = std::get_if<PlacementRecord>(&taken);
        bool const of_no_keys = (counts != nullptr && std::ranges::count(counts->counts, 0U) ==
                                                          std::ssize(counts->counts)) ||
                                (step != nullptr && step->count == 0) ||
                                (owner != nullptr && owner->count == 0) ||
                                (placement != nullptr && placement->begin == placement->end);
        if (of_no_keys || std::holds_alternative<VerdictRecord>(taken) ||
            std::holds_alternative<PhaseTimeRecord>(taken) ||
            std::holds_alternative<DigestRecord>(taken)) {
            return; // optional records
        }
        records.erase(records.begin() + static_cast<std::ptrdiff_t>(place));
        auto const part = model::verify::verify_run(model::verify::recorded_run_of("", records));
        RC_LOG() << "of kind " << taken.index() << '\n';
        RC_ASSERT(!part || !part->holds() || part->unchecked.size() > whole->unchecked.size());
    }));
}

} // namespace
} // namespace keyswap::proptests
