/// \file Tests CPU sorts against the model's records, std::stable_sort and verification.

#include "proptests/properties/cpu_run.hpp"
#include "proptests/properties/verified_run.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace keyswap::proptests {
namespace {

RC_GTEST_PROP(CpuSort, OutputIsThatOfAStableSortWhateverTheThreads, ()) {
    RunHeader const header = *any_cpu_header(4000);
    CpuUse const use = *any_cpu_use();
    auto const sorted = sort_on_cpu(header, use);
    RC_ASSERT(sorted.has_value());
    std::vector<Indexed> expected = sorted->input;
    std::ranges::stable_sort(expected, {}, &Indexed::first);
    if (header.value_type == ValueType::none) {
        for (Indexed& element : expected) {
            element.second = 0;
        }
    }
    RC_ASSERT(sorted->output == expected);
}

// The model's replay runs on TBB, whose synchronization the thread sanitizer does not see
// (tools/scripts/tsan-suppressions.txt); here it should check only the sorts.
#ifndef __SANITIZE_THREAD__
RC_GTEST_PROP(CpuSort, RecordsAreThoseOfTheModel, ()) {
    RunHeader const header = *any_cpu_header(2000);
    auto const sorted = sort_on_cpu(header, *any_cpu_use());
    auto const reference = record_reference(header);
    RC_ASSERT(sorted.has_value());
    RC_ASSERT(reference.has_value());
    auto partitions = sorted->run.partitions;
    for (PartitionRecord& partition : partitions) {
        RC_ASSERT(partition.method == "buffered");
        partition.method = "reference";
    }
    RC_ASSERT(partitions == reference->partitions);
    RC_ASSERT(sorted->run.functions == reference->functions);
    RC_ASSERT(sorted->run.histograms == reference->histograms);
    RC_ASSERT(sorted->run.ownership == reference->ownership);
    RC_ASSERT(sorted->run.sort_ranges == reference->sort_ranges);
    RC_ASSERT(sorted->run.merges == reference->merges);
}

RC_GTEST_PROP(CpuSort, RunsAreVerified, ()) {
    using model::verify::Check;
    RunHeader const header = *any_cpu_header(2000);
    auto const sorted = sort_on_cpu(header, *any_cpu_use());
    RC_ASSERT(sorted.has_value());
    auto const report = report_of(sorted->run);
    RC_ASSERT(report.differences.empty());
    auto const is_checked = [&](Check check) {
        return std::ranges::find(report.checked, check) != report.checked.end();
    };
    if (header.algorithm == "simd-merge") {
        RC_ASSERT(is_checked(Check::sort_ranges) && is_checked(Check::merges));
    } else {
        RC_ASSERT(is_checked(Check::histograms) && is_checked(Check::partitions));
    }
}
#endif

// More keys than one piece, so that several pieces are cut and merged.
RC_GTEST_PROP(CpuSort, LongInputsAreCutIntoPieces, ()) {
    RunHeader header = *any_cpu_header(1);
    header.key_count = *rc::gen::inRange<std::uint64_t>(70'000, 90'000);
    if (header.algorithm == "simd-merge") {
        header.parameters["run-keys"] = *rc::gen::element<std::uint64_t>(1000, 5000, 40'000);
    }
    auto const sorted = sort_on_cpu(header, *any_cpu_use());
    RC_ASSERT(sorted.has_value());
    RC_ASSERT(sorted->is_sorted());
    RC_ASSERT(sorted->is_permutation());
}

} // namespace
} // namespace keyswap::proptests
