#pragma once

/// \file What the variants of sample sort have in common: they differ in how a GPU sorts its keys.

#include "simulator/schedules/local_sort.hpp"
#include "simulator/schedules/schedule.hpp"

#include <cstdint>
#include <span>

namespace keyswap::simulator {

/// LocalSort::by_splitters or LocalSort::as_published.
using SegmentSort = void (LocalSort::*)(std::span<SegmentGroup const> groups,
                                        std::uint64_t in_order);

/// The steps of RMG sort's `rotated` with splitters in place of digits; each GPU then divides its
/// buckets further, down to leaves.
[[nodiscard]] Expected<Schedule> sample_schedule(ScheduleInput const& input,
                                                 SegmentSort segment_sort);

} // namespace keyswap::simulator
