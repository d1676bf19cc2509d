/// \file Faults in copies and sort ranges.

#include "proptests/faults/trace_fault_kinds.hpp"

#include <algorithm>
#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

// Copies.

bool copy_dropped(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.copies, choice);
}

bool copy_doubled(RecordedRun& run, std::uint64_t choice) {
    CopyRecord const* const copy = pick(run.copies, choice, any<CopyRecord>);
    if (copy != nullptr) {
        run.copies.push_back(CopyRecord{*copy});
    }
    return copy != nullptr;
}

bool copy_truncated(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.copies,
        choice,
        [](CopyRecord const& copy) { return copy.count > 1; },
        [](CopyRecord& copy) { copy.count -= 1; });
}

bool copy_to_another_gpu(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const copy = pick(run.copies, choice, any<CopyRecord>);
    if (copy == nullptr || run.gpu_count() < 2) {
        return false;
    }
    copy->destination.value = (copy->destination.value + 1) % run.gpu_count();
    return true;
}

bool destinations_swapped(RecordedRun& run, std::uint64_t choice) {
    auto const two = pick_two(
        run.copies, choice, any<CopyRecord>, [](CopyRecord const& one, CopyRecord const& other) {
            return one.count == other.count && (one.destination != other.destination ||
                                                one.destination_offset != other.destination_offset);
        });
    if (two) {
        std::swap(two->first->destination, two->second->destination);
        std::swap(two->first->destination_offset, two->second->destination_offset);
    }
    return two.has_value();
}

bool copy_shifted_at_its_source(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.copies, choice, any<CopyRecord>, [](CopyRecord& copy) { copy.source_offset += 1; });
}

// Sort ranges.

bool sorts_keys(SortRangeRecord const& range) {
    return range.end_bit > 0 && range.count > 0;
}

bool one_bit_too_few(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.sort_ranges, choice, sorts_keys, [](SortRangeRecord& range) { range.end_bit -= 1; });
}

bool lowest_bit_left_out(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.sort_ranges, choice, sorts_keys, [](SortRangeRecord& range) { range.begin_bit = 1; });
}

bool range_dropped(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.sort_ranges, choice);
}

bool tail_not_sorted(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.sort_ranges,
        choice,
        [](SortRangeRecord const& range) { return range.count > 1; },
        [](SortRangeRecord& range) { range.count -= 1; });
}

/// Merges adjacent sort ranges, keeping the bits of the narrower one, as if their buckets had the
/// same parent.
bool fused_across_parents(RecordedRun& run, std::uint64_t choice) {
    SortRangeRecord* const low = pick(run.sort_ranges, choice, [&run](SortRangeRecord const& r) {
        return r.end_bit > 0 &&
               std::ranges::any_of(run.sort_ranges, [&r](SortRangeRecord const& next) {
                   return next.gpu == r.gpu && next.offset == r.offset + r.count &&
                          next.end_bit > 0;
               });
    });
    if (low == nullptr) {
        return false;
    }
    auto const high = std::ranges::find_if(run.sort_ranges, [low](SortRangeRecord const& next) {
        return next.gpu == low->gpu && next.offset == low->offset + low->count;
    });
    low->count += high->count;
    low->end_bit = std::min(low->end_bit, high->end_bit);
    run.sort_ranges.erase(high);
    return true;
}

} // namespace

std::vector<TraceFault> move_faults() {
    using enum model::verify::Verdict;
    return {
        {"copy: dropped", "a copy is not queued", {lost_or_duplicated_keys}, copy_dropped},
        {"copy: doubled",
         "a copy is queued twice",
         {wrong_plan, lost_or_duplicated_keys},
         copy_doubled},
        {"copy: truncated",
         "the last key of a copy is left out",
         {wrong_plan, lost_or_duplicated_keys},
         copy_truncated},
        {"copy: another GPU",
         "keys go to the next GPU",
         {wrong_plan, lost_or_duplicated_keys},
         copy_to_another_gpu},
        {"copy: destinations swapped",
         "two copies of equal size arrive at each other's place",
         {wrong_plan, lost_or_duplicated_keys},
         destinations_swapped},
        {"copy: shifted source",
         "a copy begins one key late",
         {wrong_plan, lost_or_duplicated_keys},
         copy_shifted_at_its_source},
        {"sort range: one bit too few",
         "the highest bit that differs is not sorted",
         {wrong_plan},
         one_bit_too_few},
        {"sort range: lowest bit left out",
         "the first bit is not sorted",
         {wrong_plan},
         lowest_bit_left_out},
        {"sort range: dropped", "a group of buckets is never sorted", {wrong_plan}, range_dropped},
        {"sort range: tail not sorted",
         "the last key of a group is left out",
         {wrong_plan},
         tail_not_sorted},
        {"sort range: fused across parents",
         "groups are fused with too few bits",
         {wrong_plan},
         fused_across_parents},
    };
}

} // namespace keyswap::proptests
