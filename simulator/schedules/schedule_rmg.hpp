#pragma once

/// \file Steps common to the RMG variants. Source: RMG paper, sections 3 and 4.

#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/schedule_builder.hpp"

namespace keyswap::simulator {

/// The program whose steps a schedule consists of.
enum class RmgProgram {
    paper,   ///< as published: one host thread launches the kernels of a pass bucket by bucket, on
             ///< all GPUs; a GPU sorts its groups concurrently in several streams, on bits [0, end
             ///< bit + 1), or on all bits if its range is sorted as a whole
    rotated, ///< likewise, but no kernel of a pass waits for the host, and bits are [0, end bit)
    ours     ///< likewise, but a GPU's sorts are in one stream, queued by one host thread
};

/// Sorts each GPU's groups (our program converts images back, too) and downloads them: group by
/// group during later sorts if 4 to 128 groups need sorting, otherwise in one copy at the end.
/// \return number of sorts
std::size_t add_bucket_sort(ScheduleBuilder& builder,
                            model::Plan const& plan,
                            DeviceProfile const& device,
                            RmgProgram program);

/// Merges adjacent copies; each source starts with the next GPU and ends with itself, in the order
/// that the input's SwapOrder selects. In a flat swap more than two million copies become one train
/// per pair of GPUs.
/// \return the number of copies
std::size_t add_rotated_swap(ScheduleBuilder& builder, model::Plan const& plan);

/// Builds the whole schedule of a published program. If the keys are on the GPUs, our program's
/// steps are used instead.
[[nodiscard]] Schedule
rmg_schedule(ScheduleInput const& input, model::Plan const& plan, RmgProgram published);

/// Likewise with its own plan; a single GPU sorts at once.
[[nodiscard]] Expected<Schedule> rmg_schedule(ScheduleInput const& input, RmgProgram published);

} // namespace keyswap::simulator
