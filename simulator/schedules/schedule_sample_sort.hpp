#pragma once

/// \file Schedule of all variants of sample sort: they differ in how a GPU sorts its keys, and in
/// whether it does so during the key swap.

#include "simulator/schedules/local_sort.hpp"
#include "simulator/schedules/schedule.hpp"

namespace keyswap::simulator {

/// How a GPU sorts its own keys.
enum class OwnSort {
    splitters, ///< level by level; in rounds if one pass places every bucket
    published  ///< 128 ways per level, then quicksort
};

/// Steps of RMG sort with splitters instead of digits; then each GPU divides its buckets further,
/// down to leaves. \return an error if the profile lacks our kernels' costs
[[nodiscard]] Expected<Schedule> sample_schedule(ScheduleInput const& input, OwnSort own_sort);

} // namespace keyswap::simulator
