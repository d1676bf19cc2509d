/// \file Faults in the stages and merges of a merge sort.

#include "proptests/faults/trace_fault_kinds.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

/// Exchanges the copies of two stages, as if they had run in the opposite order. Requires stages
/// with different copies.
bool stages_swapped(RecordedRun& run, std::uint64_t choice) {
    auto const two = pick_two(
        run.copies, choice, any<CopyRecord>, [](CopyRecord const& one, CopyRecord const& other) {
            return one.stage != other.stage;
        });
    if (!two) {
        return false;
    }
    int const first = two->first->stage;
    int const second = two->second->stage;
    std::vector<CopyRecord> const before = run.copies;
    for (CopyRecord& copy : run.copies) {
        if (copy.stage == first || copy.stage == second) {
            copy.stage = first + second - copy.stage;
        }
    }
    return !std::ranges::is_permutation(run.copies, before);
}

bool copy_in_the_stage_before(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.copies,
        choice,
        [](CopyRecord const& copy) { return copy.stage > 0; },
        [](CopyRecord& copy) { copy.stage -= 1; });
}

bool merge_lost(RecordedRun& run, std::uint64_t choice) {
    if (run.merges.empty()) {
        return false;
    }
    run.merges.erase(run.merges.begin() + static_cast<std::ptrdiff_t>(choice % run.merges.size()));
    return true;
}

bool merge_in_another_stage(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.merges, choice, any<MergeRecord>, [](MergeRecord& merge) { merge.stage += 1; });
}

bool merge_of_wrong_runs(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.merges,
        choice,
        [](MergeRecord const& merge) { return merge.runs.size() > 1 && merge.runs[1] > 1; },
        [](MergeRecord& merge) {
            merge.runs[0] += 1;
            merge.runs[1] -= 1;
        });
}

bool merge_leaves_the_last_key(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.merges,
        choice,
        [](MergeRecord const& merge) { return merge.runs.back() > 0; },
        [](MergeRecord& merge) { merge.runs.back() -= 1; });
}

bool merge_on_another_gpu(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.merges,
        choice,
        [&run](MergeRecord const& merge) { return merge.gpu.has_value() && run.gpu_count() > 1; },
        [&run](MergeRecord& merge) {
            merge.gpu->value = (merge.gpu->value + 1) % run.gpu_count();
        });
}

bool merge_on_the_wrong_processor(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.merges, choice, any<MergeRecord>, [](MergeRecord& merge) {
        merge.gpu = merge.gpu ? std::nullopt : std::optional(GpuId{0});
    });
}

} // namespace

std::vector<TraceFault> merge_faults() {
    using enum model::verify::Verdict;
    return {
        {"merge sort: stages swapped",
         "the copies of two stages happen in each other's stage",
         {wrong_plan},
         stages_swapped},
        {"merge sort: a stage too early",
         "a copy does not wait for the stage before it",
         {wrong_plan},
         copy_in_the_stage_before},
        {"merge: lost", "two runs are never merged", {wrong_plan}, merge_lost},
        {"merge: a stage too late",
         "runs are merged after the next exchange",
         {wrong_plan},
         merge_in_another_stage},
        {"merge: wrong runs",
         "the border between two runs is one key off",
         {wrong_plan},
         merge_of_wrong_runs},
        {"merge: last key left out",
         "the last key of a run is not merged",
         {wrong_plan},
         merge_leaves_the_last_key},
        {"merge: another GPU", "the next GPU merges", {wrong_plan}, merge_on_another_gpu},
        {"merge: wrong processor",
         "the CPU merges what a GPU should, or the other way round",
         {wrong_plan},
         merge_on_the_wrong_processor},
    };
}

} // namespace keyswap::proptests
