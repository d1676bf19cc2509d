#pragma once

/// \file The key swap of our kernels as tasks: rounds of copies, and the sort of each round as soon
/// as its keys have arrived.

#include "simulator/schedules/exchange_plan.hpp"
#include "simulator/schedules/local_batches.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// When the copies of a round are queued.
enum class RoundCalls {
    ahead,  ///< up to two rounds ahead of the round being sorted
    at_once ///< all at the start, as the queuing thread later waits for levels
};

/// Tasks that a round's sort waits for, [g]; last task of a round's sort on each GPU, [g].
using TasksBefore = std::vector<std::vector<TaskId>>;
using LastTasks = std::vector<std::optional<TaskId>>;

/// Adds a key swap in rounds after the last barrier, then a barrier. \pre device.fast has a value
/// \param sort_round adds the sorts of all GPUs for the keys of one round
/// \return the number of copies between GPUs
std::size_t
add_round_swap(ScheduleBuilder& builder,
               DeviceProfile const& device,
               ExchangePlan const& plan,
               RoundCalls calls,
               std::function<LastTasks(std::size_t round, TasksBefore)> const& sort_round);

/// Sorts the keys of a round, each GPU independently: one thread queues a batch once the result of
/// the previous batch is known. Source: sort_arrived() of kernels/local/local_runs.cpp.
/// \param batches [g]
[[nodiscard]] LastTasks sort_arrived(ScheduleBuilder& builder,
                                     std::span<std::vector<LocalBatch> const> batches,
                                     TasksBefore before);

/// The key swap with a sort by levels of each round's keys. \pre device.fast has a value
/// \param batches_of a GPU's sort of one round \return the number of copies between GPUs
std::size_t add_arrived_rounds(
    ScheduleBuilder& builder,
    DeviceProfile const& device,
    ExchangePlan const& plan,
    std::function<std::vector<LocalBatch>(std::vector<LocalSegment> const&)> const& batches_of);

} // namespace keyswap::simulator
