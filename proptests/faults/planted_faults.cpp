#include "proptests/faults/planted_faults.hpp"

#include "model/verify/verify_trace.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstddef>
#include <iostream>
#include <map>
#include <string>

namespace keyswap::proptests {

void expect_found(std::span<TraceFault const> faults,
                  std::function<std::optional<model::verify::RecordedRun>()> const& any_run,
                  std::optional<model::verify::Check> check) {
    for (TraceFault const& fault : faults) {
        std::size_t planted = 0;
        std::map<std::string, int> first_checks; // by verdict and check of the first difference
        EXPECT_TRUE(rc::check("planted: " + std::string(fault.name), [&] {
            constexpr int runs_most = 4; // the rarest fault has a place in one of twenty runs
            std::optional<model::verify::RecordedRun> run;
            bool has_place = false;
            for (int i = 0; i < runs_most && !has_place; ++i) {
                run = any_run();
                RC_ASSERT(run.has_value());
                has_place = fault.plant(*run, *rc::gen::arbitrary<std::uint64_t>());
            }
            if (!has_place) {
                return;
            }
            ++planted;
            auto const report = model::verify::verify_run(*run);
            RC_ASSERT(report.has_value());
            if (report->holds()) {
                RC_FAIL("not found");
            }
            model::verify::Difference const& first = report->differences.front();
            RC_LOG(sentence_of(first));
            RC_ASSERT(fault.verdicts.contains(first.verdict));
            RC_ASSERT(first.check == check.value_or(first.check));
            RC_ASSERT(!first.expected.empty() && !first.recorded.empty());
            if (fault.contradiction) {
                auto const without_input = model::verify::verify_run(*run, {.records_only = true});
                RC_ASSERT(without_input.has_value() && !without_input->holds());
            }
            ++first_checks[std::string(to_string(first.verdict)) + " in " +
                           std::string(to_string(first.check))];
        }));
        EXPECT_GE(planted, 3U) << fault.name << ": the random runs offer no place for this fault";
        std::cout << "| " << fault.name << " | " << fault.description << " | " << planted << " | ";
        char const* separator = "";
        for (auto const& [found_in, count] : first_checks) {
            std::cout << separator << found_in << ' ' << count;
            separator = ", ";
        }
        std::cout << " |\n";
    }
}

} // namespace keyswap::proptests
