#pragma once

/// \file The key swap of our kernels as tasks: rounds of copies, and the sort of each round as soon
/// as its keys have arrived.

#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/exchange_plan.hpp"
#include "simulator/schedules/local_batches.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <functional>
#include <optional>
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

/// Adds a key swap in rounds to a schedule. \pre device.fast has a value
class RoundSwap {
  public:
    /// The three arguments must outlive the object.
    RoundSwap(ScheduleBuilder& builder, DeviceProfile const& device, ExchangePlan const& plan);

    /// Adds everything after the last barrier, then a barrier.
    /// \param sort_round adds the sorts of all GPUs for the keys of one round
    /// \return the number of copies between GPUs
    std::size_t add(RoundCalls calls,
                    std::function<LastTasks(std::size_t round, TasksBefore)> const& sort_round);

  private:
    void send_next();
    /// Keys that kernels of one GPU move or fill, one kernel after another.
    struct MovedParts {
        std::uint64_t keys = 0;
        int parts = 0;

        void add(std::uint64_t keys_of_part) {
            keys += keys_of_part;
            parts += 1;
        }
    };
    /// \param moved [g] \param cost duration of moving that many bytes
    void add_kernels(std::vector<MovedParts> const& moved,
                     int parts_per_kernel,
                     KernelCost (FastKernels::*cost)(std::uint64_t) const);
    void copy_local_parts();
    void fill_parts();
    [[nodiscard]] TasksBefore arrivals(std::size_t round) const;

    ScheduleBuilder& builder_;
    DeviceProfile const& device_;
    ExchangePlan const& plan_;
    std::vector<StreamId> streams_;         ///< [g]
    std::vector<std::vector<TaskId>> sent_; ///< [round][g] event: the source has sent the round
    LastTasks last_to_; ///< [g] latest copy to a GPU, which receives from one source at a time
    std::size_t copies_ = 0;
};

/// Sorts the keys of each round, each GPU independently: one thread queues a batch once the result
/// of the previous batch is known. Source: sort_arrived() of kernels/local/local_runs.cpp.
class ArrivedSort {
  public:
    /// The references must outlive the object. \param batches [round][g]
    ArrivedSort(ScheduleBuilder& builder,
                DeviceProfile const& device,
                std::vector<std::vector<std::vector<LocalBatch>>> batches);

    [[nodiscard]] LastTasks sort_round(std::size_t round, TasksBefore before);

  private:
    TaskId add(std::uint32_t gpu, LocalStep const& step, std::span<TaskId const> after);

    ScheduleBuilder& builder_;
    DeviceProfile const& device_;
    std::vector<std::vector<std::vector<LocalBatch>>> batches_;
};

/// The key swap with a sort by levels of each round's keys. \pre device.fast has a value
/// \param batches_of a GPU's sort of one round \return the number of copies between GPUs
std::size_t add_arrived_rounds(
    ScheduleBuilder& builder,
    DeviceProfile const& device,
    ExchangePlan const& plan,
    std::function<std::vector<LocalBatch>(std::vector<LocalSegment> const&)> const& batches_of);

} // namespace keyswap::simulator
