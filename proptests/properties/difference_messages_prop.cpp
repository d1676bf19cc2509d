/// \file Invariants of all differences that a checker reports, whatever the fault: two sides,
/// possible places, and the order in which a run makes its decisions.

#include "model/verify/verify_trace.hpp"
#include "proptests/faults/trace_fault_kinds.hpp"
#include "proptests/faults/trace_faults.hpp"
#include "proptests/properties/difference_messages.hpp"
#include "proptests/properties/reference_external.hpp"
#include "proptests/properties/reference_partition.hpp"
#include "proptests/properties/reference_run.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <regex>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::Check;
using model::verify::Difference;
using model::verify::RecordedRun;
using model::verify::Report;
using model::verify::Verdict;

/// Position of a difference in the run: input, then partitioning by pass, then the rest.
std::pair<int, int> place_of_decision(Difference const& difference) {
    switch (difference.check) {
    case Check::input:
        return {0, 0};
    case Check::functions:
    case Check::histograms:
    case Check::placements:
        return {1, difference.pass.value_or(0)};
    default:
        return {2, static_cast<int>(difference.check)};
    }
}

void assert_run_messages_consistent(RecordedRun const& run) {
    auto const report = model::verify::verify_run(run);
    if (!report) {
        return; // the header names no run
    }
    assert_messages_consistent(*report);
    // In partitions, records that are impossible for the header come first.
    if (run.partitions.empty() && run.relaxations.empty()) {
        RC_ASSERT(std::ranges::is_sorted(report->differences, {}, place_of_decision));
    }
}

/// Plants one to three random faults.
void plant_some(RecordedRun& run, std::vector<TraceFault> const& faults) {
    for (int left = *rc::gen::inRange(1, 4); left > 0; --left) {
        auto const which = *rc::gen::inRange<std::size_t>(0, faults.size());
        faults[which].plant(run, *rc::gen::arbitrary<std::uint64_t>());
    }
}

std::vector<TraceFault> joined(std::vector<TraceFault> faults,
                               std::vector<TraceFault> const& more) {
    faults.insert(faults.end(), more.begin(), more.end());
    return faults;
}

TEST(DifferenceMessages, OfASortByBucketsAreConsistent) {
    std::vector<TraceFault> const faults(trace_faults().begin(), trace_faults().end());
    EXPECT_TRUE(rc::check("RMG sort and other sorts by buckets", [&faults] {
        auto run = record_reference(*any_run_header(300));
        RC_ASSERT(run.has_value());
        plant_some(*run, faults);
        assert_run_messages_consistent(*run);
    }));
}

TEST(DifferenceMessages, OfAMergeSortAreConsistent) {
    EXPECT_TRUE(rc::check("merge sorts", [faults = merge_faults()] {
        auto run = record_reference(*any_merge_header(300));
        RC_ASSERT(run.has_value());
        plant_some(*run, faults);
        if (*rc::gen::arbitrary<bool>()) {
            *run = as_version_1(*run);
            std::ranges::reverse(run->copies);
        }
        if (*rc::gen::arbitrary<bool>() && !run->sort_ranges.empty()) {
            run->sort_ranges.pop_back();
        }
        assert_run_messages_consistent(*run);
    }));
}

TEST(DifferenceMessages, OfPartitionsAndSearchesAreConsistent) {
    testing::TemporaryFolder const folder;
    std::vector<TraceFault> const of_shuffles = joined(partition_faults(), shuffle_faults());
    EXPECT_TRUE(rc::check("operations", [&] {
        std::optional<RecordedRun> run;
        switch (*rc::gen::inRange(0, 4)) {
        case 0:
            run = record_partitions(*any_multisplit(folder));
            plant_some(*run, partition_faults());
            break;
        case 1:
            run = record_partitions(*any_shuffle(folder));
            plant_some(*run, of_shuffles);
            break;
        case 2:
            run = record_partitions(*any_sort_by_steps());
            plant_some(*run, step_faults());
            break;
        default:
            run = record_search(*any_path_header());
            plant_some(*run, path_faults());
        }
        assert_run_messages_consistent(*run);
    }));
}

TEST(DifferenceMessages, OfAnotherNumberOfKeysIsOneOfTheInput) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("another number of keys", [&folder] {
        auto run = record_partitions(*any_multisplit(folder));
        RC_ASSERT(run.has_value());
        run->header.key_count += *rc::gen::inRange<std::uint64_t>(1, 1000);
        assert_run_messages_consistent(*run);
    }));
}

TEST(DifferenceMessages, OfADigestThatComesTwiceSayWhichSideHasTwo) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("a digest twice", [&folder] {
        auto run = record_partitions(*any_multisplit(folder));
        RC_ASSERT(run.has_value());
        if (run->digests.empty()) {
            return;
        }
        run->digests.push_back(run->digests.front());
        auto const report = report_of(*run);
        RC_ASSERT(std::ranges::any_of(report.differences, [](Difference const& difference) {
            return difference.expected == "one digest" && difference.recorded == "two";
        }));
    }));
}

/// A number that the run determines, with its place.
struct PlantedNumber {
    std::uint64_t* number = nullptr; ///< null if the run has no such record
    Check check = Check::input;
    std::optional<BucketPrefix> bucket = std::nullopt;
    std::optional<GpuId> gpu = std::nullopt;
    std::uint64_t begin = 0; ///< begin of the range, if the number is its length
};

template <class Record>
Record* any_of(std::vector<Record>& records) {
    return records.empty() ? nullptr : &records[*rc::gen::inRange<std::size_t>(0, records.size())];
}

PlantedNumber any_number(RecordedRun& run, int kind) {
    if (kind == 0) {
        if (HistogramRecord* const record = any_of(run.histograms)) {
            auto const digit = *rc::gen::inRange<std::size_t>(0, record->counts.size());
            return {&record->counts[digit], Check::histograms, record->bucket, record->gpu};
        }
    } else if (kind == 1) {
        if (OwnershipRecord* const record = any_of(run.ownership)) {
            return {&record->count, Check::ownership, std::nullopt, record->gpu, record->base};
        }
    } else if (PlacementRecord* const record = any_of(run.placements)) {
        return {&record->end, Check::placements, record->bucket, std::nullopt};
    }
    return {};
}

/// \param planted a number inside `run`
void assert_shows_both_sides(RecordedRun const& run, PlantedNumber const& planted) {
    if (planted.number == nullptr) {
        return;
    }
    std::uint64_t const right = *planted.number;
    std::uint64_t const wrong = right + *rc::gen::inRange<std::uint64_t>(1, 50);
    *planted.number = wrong;
    auto const report = report_of(run);
    // A message may show a length itself or the end of its range.
    auto const has = [&planted](std::string const& text, std::uint64_t number) {
        std::regex const either("\\b(" + std::to_string(number) + "|" +
                                std::to_string(planted.begin + number) + ")\\b");
        return std::regex_search(text, either);
    };
    for (Difference const& difference : report.differences) {
        RC_LOG(sentence_of(difference));
    }
    RC_ASSERT(std::ranges::any_of(report.differences, [&](Difference const& difference) {
        return difference.check == planted.check && difference.bucket == planted.bucket &&
               (!planted.gpu || difference.gpu == planted.gpu) && has(difference.recorded, wrong) &&
               (has(difference.expected, right) ||
                difference.consequence.starts_with("No run with this header can do that"));
    }));
}

TEST(DifferenceMessages, OfOneNumberSayWhereItStandsWhatItIsAndWhatItShouldBe) {
    EXPECT_TRUE(rc::check("one number of a sort", [] {
        auto run = record_reference(*any_run_header(300));
        RC_ASSERT(run.has_value());
        assert_shows_both_sides(*run, any_number(*run, *rc::gen::inRange(0, 3)));
    }));
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("one number of an external sort", [&folder] {
        auto run = record_external(*any_external_sort(folder));
        RC_ASSERT(run.has_value());
        KeyRangeRecord* const range = any_of(run->key_ranges);
        assert_shows_both_sides(*run,
                                range == nullptr || !range->place
                                    ? PlantedNumber{}
                                    : PlantedNumber{&*range->place, Check::placements});
    }));
}

TEST(DifferenceMessages, OfASearchWithoutItsGraphAreThoseOfItsOwnRecords) {
    EXPECT_TRUE(rc::check("no graph", [] {
        auto run = record_search(*any_path_header());
        RC_ASSERT(run.has_value());
        run->header.input.generator_version += 1;
        assert_holds(*run);
        run->relaxations.back().distances.reset();
        auto const report = report_of(*run);
        RC_ASSERT(count_of(report, Verdict::incomplete_trace) == 1);
    }));
}

} // namespace
} // namespace keyswap::proptests
