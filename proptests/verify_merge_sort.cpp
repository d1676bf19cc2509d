/// \file The merge-based sorts: chunks are sorted whole, then blocks are swapped.

#include "proptests/verify_parts.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace keyswap::conformance {

namespace {

auto fields_of(CopyRecord const& copy) {
    return std::tuple(
        copy.source, copy.source_offset, copy.destination, copy.destination_offset, copy.count);
}

std::vector<CopyRecord> copies_of(model::MergePlan const& plan) {
    std::vector<CopyRecord> copies;
    for (model::MergeStage const& stage : plan.stages) {
        for (model::PairSwap const& swap : stage.swaps) {
            copies.push_back(
                {swap.lower, swap.lower_offset, swap.higher, swap.higher_offset, swap.count});
            copies.push_back(
                {swap.higher, swap.higher_offset, swap.lower, swap.lower_offset, swap.count});
        }
    }
    std::erase_if(copies, [](CopyRecord const& copy) { return copy.count == 0; });
    return copies;
}

std::string text_of(CopyRecord const& copy) {
    return "keys " + range_text(copy.source_offset, copy.source_offset + copy.count) + " to " +
           range_text(copy.destination_offset, copy.destination_offset + copy.count) + " of GPU " +
           std::to_string(copy.destination.value);
}

void verify_block_swaps(RecordedRun const& run, model::MergePlan const& plan, Report& report) {
    mark_checked(report, Check::copies);
    std::vector<CopyRecord> expected = copies_of(plan);
    std::vector<CopyRecord> recorded = run.copies;
    std::erase_if(recorded, [](CopyRecord const& copy) { return copy.count == 0; });
    std::ranges::sort(expected, {}, fields_of);
    std::ranges::sort(recorded, {}, fields_of);
    std::vector<CopyRecord> missing;
    std::vector<CopyRecord> surplus;
    std::ranges::set_difference(
        expected, recorded, std::back_inserter(missing), {}, fields_of, fields_of);
    std::ranges::set_difference(
        recorded, expected, std::back_inserter(surplus), {}, fields_of, fields_of);
    Difference difference{Verdict::wrong_plan,
                          Check::copies,
                          std::nullopt,
                          std::nullopt,
                          {},
                          {},
                          "no such copy",
                          "The two chunks are not split at the pivot: their keys overlap."};
    for (CopyRecord const& copy : missing) {
        difference.gpu = copy.source;
        difference.expected = text_of(copy);
        add_difference(report, difference);
    }
    for (CopyRecord const& copy : surplus) {
        difference.gpu = copy.source;
        difference.expected = "no such copy";
        difference.recorded = text_of(copy);
        add_difference(report, difference);
    }
}

void verify_chunk_sorts(RecordedRun const& run, model::MergePlan const& plan, Report& report) {
    mark_checked(report, Check::sort_ranges);
    std::map<GpuId, std::vector<SortRangeRecord>> ranges;
    for (SortRangeRecord const& range : run.sort_ranges) {
        if (range.count > 0) {
            ranges[range.gpu].push_back(range);
        }
    }
    int const bits = key_bits(plan.config.key_type);
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        std::uint64_t const size = plan.chunks.of(gpu).size();
        std::vector<SortRangeRecord> const of_gpu = std::move(ranges[gpu]);
        ranges.erase(gpu);
        bool const whole = of_gpu.size() == 1 && of_gpu.front().offset == 0 &&
                           of_gpu.front().count == size && of_gpu.front().begin_bit == 0 &&
                           of_gpu.front().end_bit == bits;
        if (!whole && !(of_gpu.empty() && size == 0)) {
            add_difference(report,
                           {Verdict::wrong_plan,
                            Check::sort_ranges,
                            std::nullopt,
                            std::nullopt,
                            gpu,
                            "one sort of its " + keys_text(size) + " on bits [0, " +
                                std::to_string(bits) + ")",
                            of_gpu.empty() ? "none" : "another",
                            "The chunk is not in order when it is merged."});
        }
    }
    for (auto const& [gpu, of_gpu] : ranges) {
        add_difference(report,
                       {Verdict::wrong_plan,
                        Check::sort_ranges,
                        std::nullopt,
                        std::nullopt,
                        gpu,
                        "no such GPU",
                        "a sort of " + keys_text(of_gpu.front().count),
                        {}});
    }
}

} // namespace

void verify_chunks(RecordedRun const& run, model::MergePlan const& plan, Report& report) {
    std::vector<OwnershipRecord> ownership;
    for (GpuId gpu{0}; gpu.value < plan.config.gpu_count; ++gpu.value) {
        model::IndexRange const chunk = plan.chunks.of(gpu);
        ownership.push_back({gpu, chunk.begin, chunk.size()});
    }
    verify_ownership(run, ownership, report);
    verify_chunk_sorts(run, plan, report);
}

void verify_merge_sort(RecordedRun const& run, model::MergePlan const& plan, Report& report) {
    verify_chunks(run, plan, report);
    verify_block_swaps(run, plan, report);
}

} // namespace keyswap::conformance
