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

/// Histograms and scatters of every pass; the host plans during the scatter. Barriers as published:
/// after the exchange of histograms and after the scatter.
/// \return scatters that are uncertain; the graph has the more probable case
[[nodiscard]] std::vector<UncertainScatter> add_partitioning(ScheduleBuilder& builder,
                                                             model::Plan const& plan,
                                                             ScheduleInput const& input,
                                                             RmgProgram program);

/// Sorts each GPU's groups (our program converts images back, too) and downloads them: group by
/// group during later sorts if 4 to 128 groups need sorting, otherwise in one copy at the end.
/// \return number of sorts
std::size_t add_bucket_sort(ScheduleBuilder& builder,
                            model::Plan const& plan,
                            DeviceProfile const& device,
                            RmgProgram program);

/// A copy per bucket, source and destination (also if equal), destinations ascending. In a flat
/// swap, here and below, more than two million copies become one train per pair of GPUs.
/// \return the number of copies
std::size_t add_paper_swap(ScheduleBuilder& builder, model::Plan const& plan);

/// Merges adjacent copies; each source starts with the next GPU and ends with itself, in the order
/// that the input's SwapOrder selects.
/// \return the number of copies
std::size_t add_rotated_swap(ScheduleBuilder& builder, model::Plan const& plan);

/// Our host threads queue the copies of their nodes' GPUs (`copies` in total) during scatters.
void add_copy_calls(ScheduleBuilder& builder, std::size_t copies);

/// Builds the whole schedule; `add_swap` queues the key swap. If the keys are on the GPUs, our
/// program's steps are used instead of the published ones.
/// \param add_swap returns the number of copies
template <class AddSwap>
[[nodiscard]] Schedule rmg_schedule(ScheduleInput const& input,
                                    model::Plan const& plan,
                                    RmgProgram published,
                                    AddSwap add_swap) {
    ScheduleBuilder builder(input);
    bool const is_ours = builder.uses_fast_kernels();
    RmgProgram const program = is_ours ? RmgProgram::ours : published;
    Schedule schedule;
    builder.upload(plan.chunks);
    schedule.uncertain_scatters = add_partitioning(builder, plan, input, program);
    if (!is_ours) {
        builder.host_work(input.device.swap_launch_us, Phase::key_swap);
        builder.barrier();
    }
    schedule.copies = add_swap(builder);
    if (is_ours) {
        add_copy_calls(builder, schedule.copies);
    }
    builder.barrier();
    schedule.sort_calls = add_bucket_sort(builder, plan, input.device, program);
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

} // namespace keyswap::simulator
