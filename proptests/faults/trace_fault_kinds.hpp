#pragma once

/// \file The catalogue's faults by the records that they are planted into.

#include "proptests/faults/trace_fault.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace keyswap::proptests {

[[nodiscard]] std::vector<TraceFault> histogram_faults();
/// Of placements and ownership.
[[nodiscard]] std::vector<TraceFault> placement_faults();
/// Of copies and sort ranges.
[[nodiscard]] std::vector<TraceFault> move_faults();
[[nodiscard]] std::vector<TraceFault> digest_faults();
/// Of stages and merges; they need a run of a merge sort.
[[nodiscard]] std::vector<TraceFault> merge_faults();
/// Of bucket functions, counts and partitions; they need a run of a multisplit.
[[nodiscard]] std::vector<TraceFault> partition_faults();
/// Of the exchange of a shuffle.
[[nodiscard]] std::vector<TraceFault> shuffle_faults();
/// Of sorts that partition the whole array again and again.
[[nodiscard]] std::vector<TraceFault> step_faults();
/// Of rounds and distances; they need a search for shortest paths.
[[nodiscard]] std::vector<TraceFault> path_faults();
/// Of memory, ranges, runs and places; they need an external sort.
[[nodiscard]] std::vector<TraceFault> external_faults();
/// Of the run as a whole.
[[nodiscard]] std::vector<TraceFault> run_faults();

/// An element that fulfils a condition, chosen by `choice`; null if there is none.
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

/// The condition that every element fulfils.
template <class Record>
[[nodiscard]] bool any(Record const& /*record*/) {
    return true;
}

/// An element that fulfils a condition, and another that matches it; none if there is no pair.
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

/// Changes an element that fulfils a condition; false if there is none.
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

/// Leaves an element out; false if that would leave none.
template <class Record>
[[nodiscard]] bool drop_one(std::vector<Record>& records, std::uint64_t choice) {
    if (records.size() < 2) {
        return false;
    }
    records.erase(records.begin() + static_cast<std::ptrdiff_t>(choice % records.size()));
    return true;
}

} // namespace keyswap::proptests
