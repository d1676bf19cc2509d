#pragma once

#include "simulator/schedules/schedule.hpp"

namespace keyswap::simulator {

/// Copy in, sort all bits, copy back: what other sorts do too where they have one GPU.
/// \param sort_phase what the sort in question calls it
/// \return an error where there are more
[[nodiscard]] Expected<Schedule> schedule_one_gpu(ScheduleInput const& input,
                                                  Phase sort_phase = Phase::sort);

} // namespace keyswap::simulator
