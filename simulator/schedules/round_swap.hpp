#pragma once

/// \file The key swap of our kernels as tasks: rounds of copies, and each round's sort as soon as
/// its keys are there.

#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/exchange_plan.hpp"
#include "simulator/schedules/local_batches.hpp"
#include "simulator/schedules/schedule_builder.hpp"

#include <functional>
#include <optional>
#include <vector>

namespace keyswap::simulator {

/// When rounds are queued to be sent.
enum class RoundCalls {
    ahead,  ///< two rounds ahead of their sort
    at_once ///< all at first, since the thread that queues waits for levels
};

/// What a round's sort begins after, [g], and its last task on each GPU, [g].
using TasksBefore = std::vector<std::vector<TaskId>>;
using LastTasks = std::vector<std::optional<TaskId>>;

/// \pre device.fast
class RoundSwap {
  public:
    /// All three outlive it.
    RoundSwap(ScheduleBuilder& builder, DeviceProfile const& device, ExchangePlan const& plan);

    /// Adds everything after the last barrier, and a barrier.
    /// \param sort_round adds the sort of what all GPUs take in a round
    /// \return the number of copies between GPUs
    std::size_t add(RoundCalls calls,
                    std::function<LastTasks(std::size_t round, TasksBefore)> const& sort_round);

  private:
    void send_next();
    /// Keys that kernels of one GPU move, one kernel after the other.
    struct MovedParts {
        std::uint64_t keys = 0;
        int parts = 0;

        void add(std::uint64_t keys_of_part) {
            keys += keys_of_part;
            parts += 1;
        }
    };
    /// \param moved [g] \param cost of so many bytes
    void add_kernels(std::vector<MovedParts> const& moved,
                     int parts_per_kernel,
                     KernelCost (FastKernels::*cost)(std::uint64_t) const);
    void keep_own_parts();
    void fill_parts();
    [[nodiscard]] TasksBefore arrivals(std::size_t round) const;

    ScheduleBuilder& builder_;
    DeviceProfile const& device_;
    ExchangePlan const& plan_;
    std::vector<StreamId> streams_;         ///< [g]
    std::vector<std::vector<TaskId>> sent_; ///< [round][g] what waits for a source waits for this
    LastTasks last_to_; ///< copies to each GPU, which takes from one source at a time
    std::size_t copies_ = 0;
};

/// Sorts what GPUs take in each round, each GPU at its own pace: one thread queues a batch where
/// the last one is known. Source: sort_arrived() of kernels/local/local_runs.cpp.
class ArrivedSort {
  public:
    /// Outlive it. \param batches [round][g]
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

/// The key swap and the sort by levels of what arrives in each round. \pre device.fast
/// \param batches_of what a GPU sorts of one round \return the number of copies between GPUs
std::size_t add_arrived_rounds(
    ScheduleBuilder& builder,
    DeviceProfile const& device,
    ExchangePlan const& plan,
    std::function<std::vector<LocalBatch>(std::vector<LocalSegment> const&)> const& batches_of);

} // namespace keyswap::simulator
