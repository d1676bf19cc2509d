#pragma once

/// \file The fault catalogue, grouped by the records in which the faults are planted.

#include "proptests/faults/trace_fault.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace keyswap::proptests {

[[nodiscard]] std::vector<TraceFault> histogram_faults();
/// In placements and ownership.
[[nodiscard]] std::vector<TraceFault> placement_faults();
/// In copies and sort ranges.
[[nodiscard]] std::vector<TraceFault> move_faults();
[[nodiscard]] std::vector<TraceFault> digest_faults();
/// In stages and merges; for merge sorts.
[[nodiscard]] std::vector<TraceFault> merge_faults();
/// In bucket functions, counts and partitions; for multisplits.
[[nodiscard]] std::vector<TraceFault> partition_faults();
/// In the exchange of a shuffle.
[[nodiscard]] std::vector<TraceFault> shuffle_faults();
/// In sorts that partition the whole array step by step.
[[nodiscard]] std::vector<TraceFault> step_faults();
/// In rounds and distances; for shortest-path searches.
[[nodiscard]] std::vector<TraceFault> path_faults();
/// In memory, ranges, runs and offsets; for external sorts.
[[nodiscard]] std::vector<TraceFault> external_faults();
/// In the run as a whole.
[[nodiscard]] std::vector<TraceFault> run_faults();

/// An element that fulfils the condition, selected by `choice`; nullptr if there is none.
template <class Record, class Condition>
[[nodiscard]] Record*
pick(std::vector<Record>& records, std::uint64_t choice, Condition const& condition) {
    std::vector<Record*> candidates;
    for (Record& record : records) {
        if (condition(record)) {
            candidates.push_back(&record);
        }
    }
    return candidates.empty() ? nullptr : candidates[choice % candidates.size()];
}

/// A condition that every element fulfils.
template <class Record>
[[nodiscard]] bool any(Record const& /*record*/) {
    return true;
}

/// An element that fulfils the condition, and one that matches it; nullopt if there is no pair.
template <class Record, class Condition, class Match>
[[nodiscard]] std::optional<std::pair<Record*, Record*>> pick_two(std::vector<Record>& records,
                                                                  std::uint64_t choice,
                                                                  Condition const& condition,
                                                                  Match const& match) {
    Record* const first = pick(records, choice, condition);
    if (first == nullptr) {
        return std::nullopt;
    }
    Record* const second =
        pick(records, choice / 5, [&](Record const& other) { return match(*first, other); });
    return second == nullptr ? std::nullopt : std::optional(std::pair(first, second));
}

/// Changes an element that fulfils the condition; false if there is none.
template <class Record, class Condition, class Change>
[[nodiscard]] bool change_one(std::vector<Record>& records,
                              std::uint64_t choice,
                              Condition const& condition,
                              Change const& change) {
    Record* const record = pick(records, choice, condition);
    if (record != nullptr) {
        change(*record);
    }
    return record != nullptr;
}

/// Removes an element; false, changing nothing, if it is the only one.
template <class Record>
[[nodiscard]] bool drop_one(std::vector<Record>& records, std::uint64_t choice) {
    if (records.size() < 2) {
        return false;
    }
    records.erase(records.begin() + static_cast<std::ptrdiff_t>(choice % records.size()));
    return true;
}

} // namespace keyswap::proptests
