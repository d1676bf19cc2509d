#pragma once

#include "simulator/schedules/schedule.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <functional>

namespace keyswap::simulator {

/// Upload, sort, download. \param add_sort adds the sort of all keys on the first GPU's stream and
/// the downloads
[[nodiscard]] Schedule schedule_one_gpu(ScheduleInput const& input,
                                        std::function<void(ScheduleBuilder&)> const& add_sort);

/// Likewise with the library's sort on all bits, which other sorts use too if they have one GPU.
/// \param sort_phase phase of the sort in traces
/// \return an error if the input has more than one GPU
[[nodiscard]] Expected<Schedule> schedule_one_gpu(ScheduleInput const& input,
                                                  Phase sort_phase = Phase::sort);

} // namespace keyswap::simulator
