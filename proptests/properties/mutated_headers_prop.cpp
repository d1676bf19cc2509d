/// \file Runs that contradict their header: a changed number, records of another run, or another
/// number of keys. The message must blame the right side.

#include "model/sorts/algorithm.hpp"
#include "model/verify/verify_trace.hpp"
#include "proptests/properties/arbitrary_valid_run.hpp"
#include "proptests/properties/difference_messages.hpp"
#include "proptests/properties/fast_run.hpp"
#include "proptests/properties/field_change.hpp"
#include "proptests/properties/reference_partition.hpp"
#include "proptests/properties/reference_run.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <optional>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::Check;
using model::verify::RecordedRun;
using model::verify::Verdict;

TEST(MutatedHeaders, WithAChangedFieldShowItAsRecordedAndNotAsExpected) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("a changed field", [&folder] {
        RecordedRun const right = arbitrary_valid_run(folder);
        auto records = model::verify::records_of(right);
        FieldChange const change{*rc::gen::inRange<std::size_t>(1, records.size()),
                                 *rc::gen::inRange<std::size_t>(0, 12),
                                 *rc::gen::arbitrary<std::uint64_t>()};
        auto const what = change_field(records, change);
        if (!what) {
            return;
        }
        RecordedRun const changed = model::verify::recorded_run_of("changed", records);
        auto const report = model::verify::verify_run(changed);
        if (!report) {
            return;
        }
        assert_messages_consistent(*report);
        // A record's own function and tile size determine the expected counts, so a change there
        // legitimately changes the expected side.
        if (what->record != "bucket_function" && what->field != "tile_keys") {
            assert_sides_are_right(right, changed, *report);
        }
    }));
}

/// Copies all records of a kind into a run that has none. \return false if there are none
template <class Record>
bool take_over(std::vector<Record> RecordedRun::*kind, RecordedRun& run, RecordedRun const& other) {
    if (!(run.*kind).empty() || (other.*kind).empty()) {
        return false;
    }
    run.*kind = other.*kind;
    return true;
}

constexpr int kinds_of_records = 10;

/// \return the check of such records; nullopt if there are none
std::optional<Check> take_over_kind(RecordedRun& run, RecordedRun const& other, int which) {
    auto const taken = [&](auto kind, Check check) {
        return take_over(kind, run, other) ? std::optional(check) : std::nullopt;
    };
    switch (which) {
    case 0:
        return taken(&RecordedRun::functions, Check::functions);
    case 1:
        return taken(&RecordedRun::histograms, Check::histograms);
    case 2:
        return taken(&RecordedRun::partitions, Check::partitions);
    case 3:
        return taken(&RecordedRun::placements, Check::placements);
    case 4:
        return taken(&RecordedRun::ownership, Check::ownership);
    case 5:
        return taken(&RecordedRun::copies, Check::copies);
    case 6:
        return taken(&RecordedRun::sort_ranges, Check::sort_ranges);
    case 7:
        return taken(&RecordedRun::merges, Check::merges);
    case 8:
        return taken(&RecordedRun::digests, Check::digests_after_sort);
    default:
        return taken(&RecordedRun::relaxations, Check::rounds);
    }
}

/// Records of a sort unknown to the model are not judged, but listed as unchecked.
TEST(MutatedHeaders, WithRecordsOfAnUnexpectedKindAreWrong) {
    testing::TemporaryFolder const folder;
    std::size_t planted = 0;
    EXPECT_TRUE(rc::check("records of another run", [&] {
        RecordedRun const right = arbitrary_valid_run(folder);
        RecordedRun const other = arbitrary_valid_run(folder);
        if (right.header.key_count == 0 || other.header.key_count == 0) {
            return;
        }
        bool const is_known = model::find_algorithm(right.header.algorithm).has_value() ||
                              right.header.operation != Operation::sort;
        for (int kind = 0; kind < kinds_of_records; ++kind) {
            RecordedRun run = right;
            auto const check = take_over_kind(run, other, kind);
            if (!check) {
                continue;
            }
            ++planted;
            auto const report = model::verify::verify_run(run);
            RC_LOG() << "records " << kind << " of " << other.header.algorithm << '\n';
            if (!report) {
                continue;
            }
            assert_messages_consistent(*report);
            auto const listed =
                std::ranges::count(report->unchecked, *check, &model::verify::Unchecked::check);
            RC_ASSERT(!report->holds() || (!is_known && listed == 1));
        }
    }));
    EXPECT_GE(planted, 100U);
}

/// A histogram, a multisplit and a shuffle of the same keys by one function, as sources of records
/// that the others lack.
TEST(MutatedHeaders, WithRecordsOfTheSameKeysByAnotherOperationAreWrong) {
    testing::TemporaryFolder const folder;
    std::size_t planted = 0;
    EXPECT_TRUE(rc::check("records of another operation", [&] {
        PartitionCase const shuffle = *any_shuffle(folder);
        RC_PRE(shuffle.header.key_count > 0);
        PartitionCase multisplit = shuffle;
        multisplit.header.layout.reset();
        multisplit.header.parameters.clear();
        multisplit.owners.clear();
        PartitionCase histogram = multisplit;
        histogram.header.algorithm = "histogram";
        histogram.header.variant = "";
        histogram.header.operation = Operation::histogram;
        std::vector<RecordedRun> runs;
        for (PartitionCase const& one : {shuffle, multisplit, histogram}) {
            runs.push_back(record_partitions(one).value());
        }
        for (RecordedRun const& right : runs) {
            for (RecordedRun const& other : runs) {
                for (int kind = 0; kind < kinds_of_records; ++kind) {
                    RecordedRun run = right;
                    if (auto const check = take_over_kind(run, other, kind)) {
                        ++planted;
                        auto const report = model::verify::verify_run(run);
                        RC_LOG() << to_string(*check) << " of " << other.header.algorithm << '\n';
                        RC_ASSERT(!report || !report->holds());
                    }
                }
            }
        }
    }));
    EXPECT_GE(planted, 100U);
}

TEST(MutatedHeaders, NameASortThatRelaxesEdges) {
    RecordedRun run = fast_run(SwapLayout::by_source);
    run.relaxations = {{0, 1, 1, 0, 0, 1, {1}, {}}};
    for (RecordedRun const& wrong : {run, as_version_1(run)}) {
        auto const report = model::verify::verify_run(wrong);
        ASSERT_TRUE(report);
        ASSERT_EQ(report->differences.size(), 1U);
        EXPECT_EQ(sentence_of(report->differences.front()),
                  "wrong plan in rounds, the run as a whole: expected no rounds, as a sort relaxes "
                  "no edges, recorded some. The trace is of another operation than its header "
                  "says.");
    }
}

TEST(MutatedHeaders, OfAnotherNumberOfKeysDifferInTheirInputAlone) {
    testing::TemporaryFolder const folder;
    EXPECT_TRUE(rc::check("another number of keys", [&folder] {
        RecordedRun run = arbitrary_valid_run(folder);
        run.header.key_count += *rc::gen::inRange<std::uint64_t>(1, 1000);
        auto const report = model::verify::verify_run(run);
        if (!report) {
            return;
        }
        RC_ASSERT(!report->differences.empty());
        model::verify::Difference const& first = report->differences.front();
        RC_LOG(sentence_of(first));
        RC_ASSERT(first.verdict == Verdict::wrong_input);
        RC_ASSERT(first.check == Check::input);
        RC_ASSERT(report->differences.size() == 1U);
        assert_messages_consistent(*report);
    }));
}

} // namespace
} // namespace keyswap::proptests
