#pragma once

/// \file Steps specific to variant `fast`: passes that only count, one scatter into the order of
/// the swap, and the sort of each round's keys. round_swap.hpp has the swap.

#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <cstddef>

namespace keyswap::simulator {

/// True if the scatter may separate other ranges than the buckets of one pass. A stable scatter
/// cannot, as it reads a digit.
[[nodiscard]] bool sorts_by_pieces(model::Plan const& plan);

/// Adds the upload, each pass's histograms, their exchange and the placement.
/// \pre here and below, input.device.fast has a value
void add_counts(ScheduleBuilder& builder, ScheduleInput const& input, model::Plan const& plan);

/// Likewise with a scatter in each pass, whose result the next pass refines; used if no levels
/// follow.
void add_passes(ScheduleBuilder& builder, ScheduleInput const& input, model::Plan const& plan);

/// Likewise with one scatter after all passes, then rounds of copies and sorts.
/// \pre one pass places every bucket, or sorts_by_pieces(plan)
/// \return the number of copies between GPUs
std::size_t
add_rounds(ScheduleBuilder& builder, ScheduleInput const& input, model::Plan const& plan);

} // namespace keyswap::simulator
