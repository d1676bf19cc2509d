/// \file Computing plan and digests in a single sweep agrees with planning first and sweeping
/// afterwards, whatever histograms the run recorded.

#include "model/verify/expected/expected_run.hpp"
#include "proptests/properties/reference_run.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::RecordedRun;

/// Drops a histogram, moves some or all keys of a digit to another, or changes nothing.
void disturb(RecordedRun& run) {
    if (run.histograms.empty()) {
        return;
    }
    auto const which = *rc::gen::inRange<std::size_t>(0, run.histograms.size());
    std::vector<std::uint64_t>& counts = run.histograms[which].counts;
    auto const from = *rc::gen::inRange<std::size_t>(0, counts.size());
    auto const to = *rc::gen::inRange<std::size_t>(0, counts.size());
    switch (*rc::gen::inRange(0, 4)) {
    case 0:
        run.histograms.erase(run.histograms.begin() + static_cast<std::ptrdiff_t>(which));
        break;
    case 1: // all keys of a digit are counted elsewhere
        counts[to] += std::exchange(counts[from], 0);
        break;
    case 2:
        if (counts[from] > 0) {
            --counts[from];
            ++counts[to];
        }
        break;
    default:
        break;
    }
}

TEST(PlanAndDigests, AreThoseOfTheKeysWhateverWasRecorded) {
    EXPECT_TRUE(rc::check("one sweep agrees with a plan and a sweep", [] {
        auto run = record_reference(*any_run_header(300));
        RC_ASSERT(run.has_value());
        auto const config = model::verify::config_of(run->header);
        auto const input = model::verify::find_input(run->header);
        RC_ASSERT(config.has_value());
        RC_ASSERT(input.has_value());
        model::Plan const plan =
            model::verify::plan_as_recorded(*config, input->input->source(), *run).value();
        auto const digests = model::verify::expected_digests(plan, *input->input);
        bool const one_gpu = config->gpu_count == 1; // its passes are taken from the records
        if (!one_gpu) {
            disturb(*run);
        }
        auto const [same_plan, same_digests] =
            model::verify::plan_and_digests(*config, *input->input, *run).value();
        RC_ASSERT(same_plan.pass_count() == plan.pass_count());
        for (std::size_t pass = 0; pass < plan.passes.size(); ++pass) {
            RC_ASSERT(same_plan.passes[pass].buckets == plan.passes[pass].buckets);
        }
        RC_ASSERT(same_plan.buckets == plan.buckets);
        RC_ASSERT(same_plan.ownership == plan.ownership);
        RC_ASSERT(same_plan.sort_groups == plan.sort_groups);
        RC_ASSERT(same_digests.content == digests.content);
        RC_ASSERT(same_digests.parts == digests.parts);
    }));
}

/// A sort by steps has no placements, copies, sort ranges or merges.
TEST(Verification, FindsRecordsOfOtherSortsInASortBySteps) {
    using model::verify::Check;
    EXPECT_TRUE(rc::check("records of other sorts are found", [] {
        RunHeader header = *any_run_header(300);
        header.algorithm = "multisplit-sort";
        header.variant.clear();
        header.gpus = {0};
        auto const run = record_reference(header);
        RC_PRE(run.has_value()); // some directions and stabilities are unsupported
        auto const expect_found_in = [&](Check check, auto const& add) {
            RecordedRun changed = *run;
            add(changed);
            auto const report = report_of(changed);
            RC_LOG(std::string(to_string(check)));
            RC_ASSERT(std::ranges::any_of(report.differences, [check](auto const& difference) {
                return difference.check == check;
            }));
        };
        expect_found_in(Check::copies, [](RecordedRun& r) { r.copies.emplace_back(); });
        expect_found_in(Check::sort_ranges, [](RecordedRun& r) { r.sort_ranges.emplace_back(); });
        expect_found_in(Check::placements,
                        [](RecordedRun& r) { r.placements.emplace_back().bucket.pass = 1; });
        expect_found_in(Check::merges, [](RecordedRun& r) {
            r.merges.emplace_back().runs = {r.header.key_count};
        });
    }));
}

/// A check missing from both lists would seem to have passed.
TEST(Verification, ListsEveryCheckAsDoneOrLeftOut) {
    using model::verify::Check;
    EXPECT_TRUE(rc::check("every check is listed", [] {
        auto const run = record_reference(*any_run_header(300));
        RC_ASSERT(run.has_value());
        auto const report = report_of(*run);
        for (Check const check : {Check::histograms,
                                  Check::placements,
                                  Check::ownership,
                                  Check::balance,
                                  Check::copies,
                                  Check::sort_ranges}) {
            bool const is_done = std::ranges::find(report.checked, check) != report.checked.end();
            bool const is_left_out =
                std::ranges::any_of(report.unchecked, [check](auto const& unchecked) {
                    return unchecked.check == check;
                });
            RC_LOG(std::string(to_string(check)));
            RC_ASSERT(is_done || is_left_out);
        }
    }));
}

} // namespace
} // namespace keyswap::proptests
