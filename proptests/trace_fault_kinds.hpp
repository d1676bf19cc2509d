#pragma once

/// \file The catalogue's faults by the records that they are planted into.

#include "proptests/trace_faults.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::proptests {

[[nodiscard]] std::vector<TraceFault> histogram_faults();
/// Of placements and ownership.
[[nodiscard]] std::vector<TraceFault> placement_faults();
/// Of copies and sort ranges.
[[nodiscard]] std::vector<TraceFault> move_faults();
[[nodiscard]] std::vector<TraceFault> digest_faults();
/// Of the run as a whole.
[[nodiscard]] std::vector<TraceFault> run_faults();

/// An element that fulfils a condition, chosen by `choice`; null where there is none.
template <class Record, class Condition>
Record* pick(std::vector<Record>& records, std::uint64_t choice, Condition const& condition) {
    std::vector<Record*> candidates;
    for (Record& record : records) {
        if (condition(record)) {
            candidates.push_back(&record);
        }
    }
    return candidates.empty() ? nullptr : candidates[choice % candidates.size()];
}

template <class Record>
[[nodiscard]] Record* pick(std::vector<Record>& records, std::uint64_t choice) {
    return pick(records, choice, [](Record const&) { return true; });
}

} // namespace keyswap::proptests
