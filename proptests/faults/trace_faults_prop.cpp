/// \file Every fault of the catalogue is found, wherever it is planted, and told with the right
/// verdict; runs without a fault are not suspected.

#include "proptests/reference_run.hpp"
#include "proptests/trace_faults.hpp"
#include "proptests/verify_trace.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <iostream>
#include <map>
#include <string>

namespace keyswap::proptests {
namespace {

using conformance::RecordedRun;
using conformance::Report;
using conformance::Verdict;

/// A row of the table of proptests/README.md.
void print_row(TraceFault const& fault,
               std::size_t planted,
               std::map<std::string, int> const& checks) {
    std::cout << "| " << fault.name << " | " << fault.description << " | " << planted << " | ";
    char const* separator = "";
    for (auto const& [check, count] : checks) {
        std::cout << separator << check << " " << count;
        separator = ", ";
    }
    std::cout << " |\n";
}

class TraceFaults : public testing::TestWithParam<TraceFault> {};

TEST_P(TraceFaults, AreFoundWhereverTheyArePlanted) {
    TraceFault const& fault = GetParam();
    std::size_t planted = 0;
    std::map<std::string, int> first_checks; ///< verdict and check of the first difference
    EXPECT_TRUE(rc::check("planted: " + std::string(fault.name), [&] {
        RunHeader const header = *any_run_header(400);
        auto run = record_reference(header);
        RC_ASSERT(run.has_value());
        if (!fault.plant(*run, *rc::gen::arbitrary<std::uint64_t>())) {
            return;
        }
        ++planted;
        auto const report = conformance::verify_run(*run);
        RC_ASSERT(report.has_value());
        RC_ASSERT(!report->holds());
        conformance::Difference const& first = report->differences.front();
        RC_LOG(story_of(first));
        RC_ASSERT(fault.verdicts.contains(first.verdict));
        RC_ASSERT(!first.expected.empty() && !first.recorded.empty());
        ++first_checks[std::string(to_string(first.verdict)) + " in " +
                       std::string(to_string(first.check))];
    }));
    EXPECT_GE(planted, 3U) << "the random runs offer no place for this fault";
    print_row(fault, planted, first_checks);
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
        auto const report = conformance::verify_run(*run);
        RC_ASSERT(report.has_value());
        RC_ASSERT(report->holds());
    }));
}

TEST(TraceFaults, AreFoundWithoutTheKeysWhereRecordsContradictEachOther) {
    EXPECT_TRUE(rc::check("histograms alone give the plan", [] {
        RunHeader header = *any_run_header(400);
        auto run = record_reference(header);
        RC_ASSERT(run.has_value());
        run->header.input.generator_version = 99;
        auto const untouched = conformance::verify_run(*run);
        RC_ASSERT(untouched.has_value());
        RC_ASSERT(untouched->holds());
        RC_ASSERT(untouched->unchecked.front().check == conformance::Check::input);
        if (run->copies.size() > 1) {
            run->copies.pop_back();
            RC_ASSERT(!conformance::verify_run(*run)->holds());
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
    conformance::verify_determinism(runs, reports);
    EXPECT_TRUE(reports[0].holds());
    EXPECT_TRUE(reports[1].holds());
    ASSERT_FALSE(reports[2].holds());
    EXPECT_EQ(reports[2].differences.front().verdict, Verdict::not_deterministic);
}

} // namespace

/// How GoogleTest names a fault.
void PrintTo(TraceFault const& fault, std::ostream* out) {
    *out << fault.name;
}

} // namespace keyswap::proptests
