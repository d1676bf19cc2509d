/// \file Counts that exceed 64 bits, runs of a single key, and steps that lack their last records.

#include "proptests/properties/fast_run.hpp"
#include "proptests/properties/reference_run.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <vector>

namespace keyswap::proptests {
namespace {

using model::verify::Check;
using model::verify::Difference;
using model::verify::RecordedRun;
using model::verify::Report;
using model::verify::Verdict;

bool has(Report const& report, Verdict verdict, Check check) {
    return std::ranges::any_of(report.differences, [&](Difference const& difference) {
        return difference.verdict == verdict && difference.check == check;
    });
}

TEST(RecordLimits, CountsWhoseSumLeaves64BitsAreNoOtherCounts) {
    RecordedRun const right = fast_run(SwapLayout::by_source);
    EXPECT_TRUE(rc::check("two counts, each 2^63 too many", [&right] {
        RecordedRun run = right;
        if (*rc::gen::arbitrary<bool>()) {
            run.header.input.generator_version = 99; // keys cannot be generated again
        }
        auto& counts =
            run.histograms[*rc::gen::inRange<std::size_t>(0, run.histograms.size())].counts;
        auto const first = *rc::gen::inRange<std::size_t>(0, counts.size());
        auto const second = *rc::gen::inRange<std::size_t>(0, counts.size() - 1);
        for (std::size_t const place : {first, second + (second >= first ? 1 : 0)}) {
            counts[place] += std::uint64_t{1} << 63;
        }
        RC_ASSERT(std::ranges::any_of(report_of(run).differences, [](Difference const& difference) {
            return difference.check == Check::histograms;
        }));
    }));
}

TEST(RecordLimits, DigestsThatARunOfOneKeyLacksAreListed) {
    EXPECT_TRUE(rc::check("without digests", [] {
        RunHeader header = *any_run_header(30);
        header.key_count = *rc::gen::inRange<std::uint64_t>(0, 3);
        auto run = record_reference(header);
        RC_PRE(run.has_value());
        run->digests.clear();
        Report const report = report_of(*run);
        for (Check const check : {Check::digests_before_swap, Check::digests_after_swap}) {
            RC_ASSERT(
                std::ranges::count(report.unchecked, check, &model::verify::Unchecked::check) ==
                (header.key_count > 0 ? 1 : 0));
        }
    }));
}

TEST(RecordLimits, ASortWithoutTheRecordsOfItsLastStepIsIncomplete) {
    EXPECT_TRUE(rc::check("without the last step", [] {
        RunHeader header = fast_run(SwapLayout::by_round).header;
        header.algorithm = "multisplit-sort";
        header.variant = "published";
        header.gpus = {0};
        header.value_type = ValueType::none;
        header.layout.reset();
        header.key_count = *rc::gen::inRange<std::uint64_t>(2, 60);
        auto run = record_reference(header);
        RC_ASSERT(run.has_value());
        assert_holds(*run);
        int const last =
            std::ranges::max_element(run->partitions, {}, &PartitionRecord::step)->step;
        auto const is_of_last = [last](auto const& record) { return record.step == last; };
        std::erase_if(run->histograms, is_of_last);
        std::erase_if(run->partitions, is_of_last);
        std::erase_if(run->digests, is_of_last);
        Report const report = report_of(*run);
        RC_ASSERT(!report.holds());
        RC_ASSERT(has(report, Verdict::incomplete_trace, Check::partitions));
    }));
}

} // namespace
} // namespace keyswap::proptests
