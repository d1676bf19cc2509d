/// \file Faults of external sorts.

#include "proptests/faults/trace_fault_kinds.hpp"

#include "model/keys/wide_integer.hpp"

#include <utility>

namespace keyswap::proptests {

namespace {

using model::verify::RecordedRun;

bool is_in_output(KeyRangeRecord const& range) {
    return range.place.has_value();
}

bool reserve_used(RecordedRun& run, std::uint64_t /*choice*/) {
    run.external_sorts.front().reserve_bytes -= 1;
    return true;
}

bool another_sample(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.range_divisions,
                      choice,
                      any<RangeDivisionRecord>,
                      [](RangeDivisionRecord& division) { division.sample.low ^= 1; });
}

/// Lowers the border between two ranges by one image. Undetectable without the keys.
bool border_moved(RecordedRun& run, std::uint64_t choice) {
    auto const two = pick_two(
        run.key_ranges,
        choice,
        [](KeyRangeRecord const& range) { return range.parent && range.lowest != range.highest; },
        [](KeyRangeRecord const& one, KeyRangeRecord const& other) {
            return one.parent == other.parent && other.id == one.id + 1;
        });
    if (!two) {
        return false;
    }
    auto const border = model::wide(two->first->highest);
    two->first->highest = model::key_image(border - 1);
    two->second->lowest = model::key_image(border);
    return true;
}

/// Moves a border in only one of its two ranges.
bool gap_between_ranges(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.key_ranges,
        choice,
        [](KeyRangeRecord const& range) { return range.parent && range.lowest != range.highest; },
        [choice](KeyRangeRecord& range) {
            if (choice / 7 % 2 == 0) {
                range.lowest = model::key_image(model::wide(range.lowest) + 1);
            } else {
                range.highest = model::key_image(model::wide(range.highest) - 1);
            }
        });
}

bool range_lost(RecordedRun& run, std::uint64_t choice) {
    return drop_one(run.key_ranges, choice);
}

bool division_lost(RecordedRun& run, std::uint64_t choice) {
    if (run.range_divisions.empty()) {
        return false;
    }
    run.range_divisions.erase(run.range_divisions.begin() +
                              static_cast<std::ptrdiff_t>(choice % run.range_divisions.size()));
    return true;
}

bool record_lost_in_partition(RecordedRun& run, std::uint64_t choice) {
    auto const is_made = [](KeyRangeRecord const& range) {
        return is_in_output(range) && range.parent;
    };
    return change_one(run.key_ranges, choice, is_made, [](KeyRangeRecord& range) {
        range.count -= 1;
        range.digest->count -= 1;
        range.output = range.digest;
    });
}

bool record_changed_on_disk(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.key_ranges, choice, is_in_output, [](KeyRangeRecord& range) {
        range.output->high += 7;
    });
}

/// Two ranges exchange their records, read and written; the total is unchanged.
bool runs_exchanged(RecordedRun& run, std::uint64_t choice) {
    auto const two = pick_two(run.key_ranges,
                              choice,
                              is_in_output,
                              [](KeyRangeRecord const& one, KeyRangeRecord const& other) {
                                  return is_in_output(other) && one.parent == other.parent &&
                                         one.count == other.count && one.digest != other.digest;
                              });
    if (!two) {
        // Moving a digest word from one to the other preserves the total as well.
        auto const pair = pick_two(run.key_ranges,
                                   choice,
                                   is_in_output,
                                   [](KeyRangeRecord const& one, KeyRangeRecord const& other) {
                                       return is_in_output(other) && one.parent == other.parent &&
                                              one.id != other.id;
                                   });
        if (!pair) {
            return false;
        }
        pair->first->digest->low += 1;
        pair->first->output = pair->first->digest;
        pair->second->digest->low -= 1;
        pair->second->output = pair->second->digest;
        return true;
    }
    std::swap(two->first->digest, two->second->digest);
    std::swap(two->first->output, two->second->output);
    return true;
}

bool placed_one_late(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.key_ranges, choice, is_in_output, [](KeyRangeRecord& range) { *range.place += 1; });
}

bool never_written(RecordedRun& run, std::uint64_t choice) {
    return change_one(run.key_ranges, choice, is_in_output, [](KeyRangeRecord& range) {
        range.place.reset();
        range.output.reset();
    });
}

/// Marks a divided or empty range as written to the output.
bool written_twice(RecordedRun& run, std::uint64_t choice) {
    return change_one(
        run.key_ranges,
        choice,
        [](KeyRangeRecord const& range) { return !is_in_output(range); },
        [choice](KeyRangeRecord& range) {
            if (choice / 7 % 2 == 0) {
                range.place = 0;
            } else {
                range.output.emplace();
            }
        });
}

bool input_changed(RecordedRun& run, std::uint64_t /*choice*/) {
    run.header.input.content->low ^= 1;
    return true;
}

} // namespace

std::vector<TraceFault> external_faults() {
    using enum model::verify::Verdict;
    return {
        {"memory: reserve used",
         "buffers take what was left free",
         {wrong_plan},
         reserve_used,
         true},
        {"division: another sample", "ranges are chosen by luck", {wrong_plan}, another_sample},
        {"division: lost", "a division is not recorded", {wrong_plan}, division_lost, true},
        {"range: border moved", "a border is one image too low", {wrong_plan}, border_moved},
        {"range: gap",
         "a border is moved in one range only",
         {wrong_plan},
         gap_between_ranges,
         true},
        {"range: lost",
         "a range is not recorded",
         {wrong_plan, incomplete_trace},
         range_lost,
         true},
        {"run: record lost",
         "the partition drops a record",
         {wrong_execution},
         record_lost_in_partition,
         true},
        {"run: exchanged", "ranges hold each other's records", {wrong_execution}, runs_exchanged},
        {"place: one late",
         "a range lies one record too far",
         {wrong_execution},
         placed_one_late,
         true},
        {"place: never written", "a range is forgotten", {wrong_execution}, never_written, true},
        {"place: of a divided range",
         "a range is in the output, and its parts too",
         {wrong_execution},
         written_twice,
         true},
        {"output: record changed",
         "what is written is not what was read",
         {lost_or_duplicated_keys},
         record_changed_on_disk,
         true},
        {"input: another",
         "the input changes under the sort",
         {lost_or_duplicated_keys},
         input_changed,
         true},
    };
}

} // namespace keyswap::proptests
