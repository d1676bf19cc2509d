#pragma once

/// \file The steps of variant `fast`: passes, and a swap in rounds with the sort behind it.

#include "model/keys/key_source.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/schedule_builder.hpp"
#include "simulator/schedules/swap_rounds.hpp"

namespace keyswap::simulator {

/// Whether a GPU alone with a chunk's keys would divide them by digits; then each divides its
/// buckets so.
[[nodiscard]] bool sorts_by_levels(model::Plan const& plan);

/// Counting pays for 32-bit keys without values that leave 24 bits to sort, where 2^15 neighbouring
/// images hold 3,072 keys or more on average and no such stretch holds far more than the others.
/// \param keys counted to 16 bits, in place of the sample of 4,096 keys that the kernels take
[[nodiscard]] RoundSort round_sort_of(model::Plan const& plan, model::KeySource& keys);

/// Adds the steps of a sort. \pre device.fast
class FastSteps {
  public:
    /// All three outlive it.
    FastSteps(ScheduleBuilder& builder, model::Plan const& plan, DeviceProfile const& device);

    /// Histograms, their exchange and placement, and scatters of every pass; a barrier ends each.
    void add_passes();

    /// Copies a (round, pair); each round's digit steps and, towards the host, its copy back.
    /// \pre one pass places every bucket \return the number of copies between GPUs
    std::size_t add_rounds(RoundSort sort);

  private:
    /// What one GPU sorts in one round.
    struct RoundKeys {
        std::uint64_t count = 0;
        std::uint64_t buckets = 0;
    };

    void scatter(model::PassPlan const& pass, std::uint32_t gpu);
    /// \return [g] what waits for a source's copies of this round waits for
    std::vector<TaskId>
    send_round(SwapRound const& round, std::span<StreamId const> streams, std::size_t& copies);
    void keep_own_parts(std::span<SwapRound const> rounds);
    void sort_round(std::uint32_t gpu, RoundKeys keys, RoundSort sort, std::vector<TaskId> after);
    void sort_round_by_levels(std::uint32_t gpu, RoundKeys keys, std::vector<TaskId> const& after);
    /// \param launches kernels that are started for it, one behind the other
    TaskId add_kernel(std::uint32_t gpu,
                      KernelCost cost,
                      int launches,
                      Phase phase,
                      std::span<TaskId const> after);

    ScheduleBuilder& builder_;
    model::Plan const& plan_;
    DeviceProfile const& device_;
    FastKernels kernels_;
    std::size_t value_bytes_;
    double order_; ///< positional_order of the keys
};

} // namespace keyswap::simulator
