#pragma once

/// \file What the variants of sample sort have in common: they differ in how a GPU sorts its keys,
/// and whether it does so while others are on their way.

#include "simulator/schedules/local_sort.hpp"
#include "simulator/schedules/schedule.hpp"

namespace keyswap::simulator {

/// How a GPU sorts its own keys.
enum class OwnSort {
    splitters, ///< level by level; in rounds, where one pass places every bucket
    published  ///< 128 ways a level, then quicksort
};

/// The steps of RMG sort with splitters in place of digits; each GPU then divides its buckets
/// further, down to leaves.
[[nodiscard]] Expected<Schedule> sample_schedule(ScheduleInput const& input, OwnSort own_sort);

} // namespace keyswap::simulator
