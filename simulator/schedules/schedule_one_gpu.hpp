#pragma once

#include "simulator/schedules/schedule.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <functional>

namespace keyswap::simulator {

/// Copy in, sort, copy back. \param add_sort adds the sort of all keys on the first GPU's stream,
/// and their copies back
[[nodiscard]] Schedule schedule_one_gpu(ScheduleInput const& input,
                                        std::function<void(ScheduleBuilder&)> const& add_sort);

/// The same with the library's sort of all bits: what other sorts do too where they have one GPU.
/// \param sort_phase what the sort in question calls it
/// \return an error where there are more
[[nodiscard]] Expected<Schedule> schedule_one_gpu(ScheduleInput const& input,
                                                  Phase sort_phase = Phase::sort);

} // namespace keyswap::simulator
