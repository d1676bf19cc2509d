#pragma once

/// \file The steps that both RMG variants share. Source: RMG paper, sections 3 and 4.

#include "model/sorts/rmg/plan.hpp"
#include "simulator/schedules/schedule_builder.hpp"

namespace keyswap::simulator {

/// How many bits a published sort reads beyond those that differ.
enum class SortBits {
    needed,      ///< [0, end bit)
    one_too_many ///< [0, end bit + 1), and all bits where a GPU's range is sorted whole
};

/// How the kernels of a pass get to the GPUs.
enum class PassCalls {
    by_bucket, ///< as published: for each bucket one host thread calls GPU after GPU
    at_once    ///< nothing waits for the host
};

/// How a GPU sorts its groups.
enum class GroupSorts {
    side_by_side, ///< as published: on several streams
    in_turn       ///< as our program does: on one stream, queued by one host thread
};

/// Copies the chunks in; a barrier ends it.
void add_upload(ScheduleBuilder& builder, model::Plan const& plan);

/// Histograms and scatters of every pass with the host's planning beside the scatter; barriers as
/// published: after the exchange of histograms and after the scatter.
/// \return the scatters that may take place or not; the graph has the likelier case
[[nodiscard]] std::vector<UnsureScatter> add_partitioning(ScheduleBuilder& builder,
                                                          model::Plan const& plan,
                                                          ScheduleInput const& input,
                                                          PassCalls calls);

/// Sorts each GPU's groups, which takes our program a change of images more, and copies them back:
/// beside the sort of later groups where 4 to 128 have anything to sort, otherwise afterwards in
/// one copy. \return calls of the sort
std::size_t add_bucket_sort(ScheduleBuilder& builder,
                            model::Plan const& plan,
                            DeviceProfile const& device,
                            GroupSorts sorts,
                            SortBits bits);

/// A copy for each bucket, source and destination, destinations ascending; local ones too. More
/// than two million, here and below, become a train a pair of GPUs where swaps are flat. \return
/// the number of copies
std::size_t add_paper_swap(ScheduleBuilder& builder, model::Plan const& plan);

/// Adjacent copies merged, each source beginning with the next GPU and ending with itself, in the
/// order that the input asks for.
/// \return the number of copies
std::size_t add_rotated_swap(ScheduleBuilder& builder, model::Plan const& plan);

/// Our host threads queue so many copies while the GPUs scatter, each for the GPUs of its node.
void add_copy_calls(ScheduleBuilder& builder, std::size_t copies);

/// The workload with everything but the key swap, which `add_swap` queues. Keys that lie on GPUs
/// are sorted by our program, whatever the published one would do.
/// \param add_swap returns the number of copies
template <class AddSwap>
[[nodiscard]] Schedule rmg_schedule(ScheduleInput const& input,
                                    model::Plan const& plan,
                                    PassCalls calls,
                                    SortBits bits,
                                    AddSwap add_swap) {
    ScheduleBuilder builder(input);
    GroupSorts sorts = GroupSorts::side_by_side;
    if (builder.is_ours()) {
        calls = PassCalls::at_once;
        bits = SortBits::needed;
        sorts = GroupSorts::in_turn;
    }
    Schedule schedule;
    add_upload(builder, plan);
    schedule.unsure = add_partitioning(builder, plan, input, calls);
    if (!builder.is_ours()) {
        builder.host_work(input.device.swap_launch_us, Phase::key_swap);
        builder.barrier();
    }
    schedule.copies = add_swap(builder);
    if (builder.is_ours()) {
        add_copy_calls(builder, schedule.copies);
    }
    builder.barrier();
    schedule.sort_calls = add_bucket_sort(builder, plan, input.device, sorts, bits);
    schedule.passes = plan.pass_count();
    schedule.graph = std::move(builder.graph);
    return schedule;
}

} // namespace keyswap::simulator
