/// \file Faults in copies and sort ranges.

#include "proptests/trace_fault_kinds.hpp"

#include <algorithm>
#include <bit>

namespace keyswap::proptests {

namespace {

using conformance::RecordedRun;

// Copies.

bool copy_dropped(RecordedRun& run, std::uint64_t choice) {
    if (run.copies.size() < 2) {
        return false;
    }
    run.copies.erase(run.copies.begin() + static_cast<std::ptrdiff_t>(choice % run.copies.size()));
    return true;
}

bool copy_doubled(RecordedRun& run, std::uint64_t choice) {
    CopyRecord const* const copy = pick(run.copies, choice);
    if (copy != nullptr) {
        run.copies.push_back(CopyRecord{*copy});
    }
    return copy != nullptr;
}

bool copy_truncated(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const copy =
        pick(run.copies, choice, [](CopyRecord const& candidate) { return candidate.count > 1; });
    if (copy != nullptr) {
        copy->count -= 1;
    }
    return copy != nullptr;
}

bool copy_to_another_gpu(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const copy = pick(run.copies, choice);
    if (copy == nullptr || run.gpu_count() < 2) {
        return false;
    }
    copy->destination.value = (copy->destination.value + 1) % run.gpu_count();
    return true;
}

bool destinations_swapped(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const first = pick(run.copies, choice);
    if (first == nullptr) {
        return false;
    }
    CopyRecord* const second = pick(run.copies, choice / 5, [first](CopyRecord const& other) {
        return other.count == first->count &&
               (other.destination != first->destination ||
                other.destination_offset != first->destination_offset);
    });
    if (second == nullptr) {
        return false;
    }
    std::swap(first->destination, second->destination);
    std::swap(first->destination_offset, second->destination_offset);
    return true;
}

bool copy_shifted_at_its_source(RecordedRun& run, std::uint64_t choice) {
    CopyRecord* const copy = pick(run.copies, choice);
    if (copy != nullptr) {
        copy->source_offset += 1;
    }
    return copy != nullptr;
}

// Sort ranges.

bool one_bit_too_few(RecordedRun& run, std::uint64_t choice) {
    SortRangeRecord* const range = pick(run.sort_ranges, choice, [](SortRangeRecord const& r) {
        return r.end_bit > 0 && r.count > 0;
    });
    if (range != nullptr) {
        range->end_bit -= 1;
    }
    return range != nullptr;
}

bool lowest_bit_left_out(RecordedRun& run, std::uint64_t choice) {
    SortRangeRecord* const range = pick(run.sort_ranges, choice, [](SortRangeRecord const& r) {
        return r.end_bit > 0 && r.count > 0;
    });
    if (range != nullptr) {
        range->begin_bit = 1;
    }
    return range != nullptr;
}

bool range_dropped(RecordedRun& run, std::uint64_t choice) {
    if (run.sort_ranges.size() < 2) {
        return false;
    }
    run.sort_ranges.erase(run.sort_ranges.begin() +
                          static_cast<std::ptrdiff_t>(choice % run.sort_ranges.size()));
    return true;
}

bool tail_not_sorted(RecordedRun& run, std::uint64_t choice) {
    SortRangeRecord* const range =
        pick(run.sort_ranges, choice, [](SortRangeRecord const& r) { return r.count > 1; });
    if (range != nullptr) {
        range->count -= 1;
    }
    return range != nullptr;
}

/// Neighbouring ranges become one with the bits of the narrower, as if their buckets had one
/// parent.
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
    using enum conformance::Verdict;
    return {
        {"copy: dropped", "a copy is not queued", {lost_or_doubled_keys}, copy_dropped},
        {"copy: doubled",
         "a copy is queued twice",
         {wrong_plan, lost_or_doubled_keys},
         copy_doubled},
        {"copy: truncated",
         "the last key of a copy is left out",
         {wrong_plan, lost_or_doubled_keys},
         copy_truncated},
        {"copy: another GPU",
         "keys go to the next GPU",
         {wrong_plan, lost_or_doubled_keys},
         copy_to_another_gpu},
        {"copy: destinations swapped",
         "two copies of equal size arrive at each other's place",
         {wrong_plan, lost_or_doubled_keys},
         destinations_swapped},
        {"copy: shifted source",
         "a copy begins one key late",
         {wrong_plan, lost_or_doubled_keys},
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
