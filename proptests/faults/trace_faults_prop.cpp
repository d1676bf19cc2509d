/// \file Every fault of the catalogue is found, wherever it is planted, with the right verdict;
/// correct runs raise no suspicion.

#include "model/verify/verify_trace.hpp"
#include "proptests/faults/planted_faults.hpp"
#include "proptests/faults/trace_fault_kinds.hpp"
#include "proptests/faults/trace_faults.hpp"
#include "proptests/properties/reference_run.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <span>
#include <string>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;
using model::verify::Report;
using model::verify::Verdict;

class TraceFaults : public testing::TestWithParam<TraceFault> {};

/// Draws runs with these headers.
auto runs_of(rc::Gen<RunHeader> const& headers) {
    return [headers] { return record_reference(*headers); };
}

TEST_P(TraceFaults, AreFoundWhereverTheyArePlanted) {
    expect_found(std::span(&GetParam(), 1), runs_of(any_run_header(400)));
}

TEST(MergeFaults, AreFoundWhereverTheyArePlanted) {
    // P2P merge sort has several stages only from four GPUs on.
    auto const headers = rc::gen::map(any_merge_header(400), [](RunHeader header) {
        if (header.algorithm == "p2p-merge") {
            header.gpus = {0, 1, 2, 3};
        }
        return header;
    });
    expect_found(merge_faults(), runs_of(headers));
}

/// In version 1, only the order of lines gives the stages.
TEST(MergeFaults, StagesInReverseOrderAreFoundInVersion1) {
    std::size_t planted = 0;
    EXPECT_TRUE(rc::check("reversed stages", [&planted] {
        RunHeader header = *any_run_header(400);
        header.algorithm = "p2p-merge";
        header.gpus = {0, 1, 2, 3};
        auto const reference = record_reference(header);
        RC_ASSERT(reference.has_value());
        RecordedRun run = as_version_1(*reference);
        auto const untouched = assert_holds(run);
        bool const merges = !reference->merges.empty();
        RC_ASSERT(std::ranges::any_of(untouched.unchecked, [](auto const& unchecked) {
                      return unchecked.check == model::verify::Check::merges;
                  }) == merges);
        // Stages of different GPUs are independent, and equal copies have no order.
        auto const comes_once = [&run](CopyRecord copy) {
            copy.stage = 0;
            return std::ranges::count(run.copies, copy) == 1;
        };
        bool const matters = std::ranges::any_of(reference->copies, [&](CopyRecord const& first) {
            return std::ranges::any_of(reference->copies, [&](CopyRecord const& later) {
                return later.stage > first.stage && later.source == first.source &&
                       comes_once(first) && comes_once(later);
            });
        });
        if (!matters) {
            return;
        }
        ++planted;
        std::ranges::reverse(run.copies);
        auto const report = assert_differs(run);
        model::verify::Difference const& first = report.differences.front();
        RC_ASSERT(first.check == model::verify::Check::copies);
        RC_ASSERT(!first.expected.empty() && !first.recorded.empty());
    }));
    EXPECT_GE(planted, 10U);
}

/// The model has no plan of P2P merge sort on three GPUs, so its records are checked by execution.
TEST(MergeFaults, AreFoundByCarryingOutWhereTheModelHasNoPlan) {
    RunHeader header;
    header.version = 2;
    header.algorithm = "het-merge";
    header.key_count = 500;
    header.gpus = {0, 1, 2};
    header.input.distribution = "uniform";
    header.input.generator_version = 2;
    auto run = record_reference(header);
    ASSERT_TRUE(run.has_value());
    run->header.algorithm = "p2p-merge";
    auto const untouched = model::verify::verify_run(*run);
    ASSERT_TRUE(untouched.has_value());
    EXPECT_TRUE(untouched->holds());
    run->merges.front().runs = {167, 333};
    auto const report = model::verify::verify_run(*run);
    ASSERT_TRUE(report.has_value());
    ASSERT_FALSE(report->holds());
    EXPECT_EQ(report->differences.front().check, model::verify::Check::output);
}

INSTANTIATE_TEST_SUITE_P(Catalogue,
                         TraceFaults,
                         testing::ValuesIn(trace_faults().begin(), trace_faults().end()),
                         [](auto const& fault) {
                             std::string name;
                             for (char const c : fault.param.name) {
                                 name += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
                             }
                             return name;
                         });

TEST(TraceFaults, ARunWithoutOneIsNotSuspected) {
    EXPECT_TRUE(rc::check("a correct run agrees with the model", [] {
        auto const run = record_reference(*any_run_header(400));
        RC_ASSERT(run.has_value());
        assert_holds(*run);
    }));
}

TEST(TraceFaults, AreFoundWithoutTheKeysWhereRecordsContradictEachOther) {
    EXPECT_TRUE(rc::check("histograms alone give the plan", [] {
        RunHeader header = *any_run_header(400);
        auto run = record_reference(header);
        RC_ASSERT(run.has_value());
        run->header.input.generator_version = 99;
        auto const untouched = assert_holds(*run);
        RC_ASSERT(untouched.unchecked.front().check == model::verify::Check::input);
        if (run->copies.size() > 1) {
            run->copies.pop_back();
            assert_differs(*run);
        }
    }));
}

TEST(TraceFaults, TwoRecordingsOfOneSeedThatDifferAreNotDeterministic) {
    RunHeader header;
    header.algorithm = "rmg";
    header.key_count = 200;
    header.gpus = {0, 1, 2};
    header.input.distribution = "uniform";
    header.input.generator_version = 2;
    auto const run = record_reference(header);
    ASSERT_TRUE(run.has_value());
    std::vector<RecordedRun> runs(3, *run);
    runs[1].header.created = "2026-11-21";
    runs[2].copies.front().count -= 1;
    std::vector<Report> reports(3);
    model::verify::verify_determinism(runs, reports);
    EXPECT_TRUE(reports[0].holds());
    EXPECT_TRUE(reports[1].holds());
    ASSERT_FALSE(reports[2].holds());
    EXPECT_EQ(reports[2].differences.front().verdict, Verdict::not_deterministic);
}

} // namespace

/// Test name of a fault, for GoogleTest.
void PrintTo(TraceFault const& fault, std::ostream* out) {
    *out << fault.name;
}

} // namespace keyswap::proptests
