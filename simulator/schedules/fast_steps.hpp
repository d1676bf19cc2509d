#pragma once

/// \file The steps of variant `fast` that are its own: passes that count, one scatter into the
/// order of the swap, and the sort of what a round brings. round_swap.hpp has the swap.

#include "model/keys/key_source.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "simulator/cost/cost_model_skew.hpp"
#include "simulator/cost/fast_cost.hpp"
#include "simulator/schedules/crowding.hpp"
#include "simulator/schedules/exchange_plan.hpp"
#include "simulator/schedules/round_swap.hpp"
#include "simulator/schedules/schedule_builder.hpp"
#include "simulator/schedules/tree_readings.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::simulator {

/// Whether a GPU alone with a chunk's keys would divide them by digits; then each divides its
/// buckets so.
[[nodiscard]] bool sorts_by_levels(model::Plan const& plan);

/// Whether the scatter may separate other keys than those of the buckets of one pass. A stable
/// one reads a digit.
[[nodiscard]] bool sorts_by_pieces(model::Plan const& plan);

/// Counting pays for 32-bit keys without values that one pass leaves 24 bits to sort, where 2^15
/// neighbouring images hold 3,072 keys or more on average and no such stretch holds far more than
/// the others, as 4,096 keys of each GPU show.
[[nodiscard]] kernels::BucketSort round_sort_of(model::Plan const& plan, model::KeySource& keys);

/// Adds the steps of a sort. \pre device.fast
class FastSteps {
  public:
    /// All five outlive it.
    FastSteps(ScheduleBuilder& builder,
              model::Plan const& plan,
              model::KeySource& keys,
              DeviceProfile const& device,
              KeyFacts& facts);

    /// Keys that lie in host memory come in pieces beside what counts them; values follow.
    void add_upload();
    /// Histograms, their exchange and placement, of every pass. Where levels follow, one reading
    /// counts all of several passes as far as a sample shows what they refine.
    void add_counts();
    /// The same with a scatter in each pass, which refines what the last one moved, where levels do
    /// not follow.
    void add_passes();

    /// The scatter, then rounds of copies and sorts. \pre every bucket is placed by one pass, or
    /// sorted by levels \return the number of copies between GPUs
    std::size_t add_rounds(kernels::BucketSort sort);

  private:
    struct IncomingPiece {
        std::uint64_t keys = 0;
        TaskId come;
    };
    /// A GPU's keys on their way to it.
    struct Incoming {
        StreamId stream;
        std::vector<IncomingPiece> pieces;
    };
    /// What one GPU sorts in one round.
    struct RoundKeys {
        std::uint64_t count = 0;
        std::uint64_t buckets = 0;
    };

    void count(int pass, std::uint32_t gpu, std::uint64_t keys);
    void count_tree(int pass, std::uint32_t gpu, CountedTree const& tree);
    /// One kernel, or in the first pass one for each piece that comes in.
    /// \param cost_of (keys) of a kernel
    template <class CostOf>
    void add_reading(int pass, std::uint32_t gpu, std::uint64_t keys, CostOf cost_of);
    /// What comes next waits for them. \pre the first pass has its barrier
    void add_values_upload();
    void plan_pass(int pass, double host_us);
    /// \param spreads [histograms of the pass]
    void scatter(model::PassPlan const& pass, std::uint32_t gpu, std::span<BlockSpreads> spreads);
    void scatter_into(model::BucketHistogram const& labels, kernels::BucketSort sort);
    /// Whether the first pass has counted the next bit as well.
    [[nodiscard]] bool counts_halves() const;
    [[nodiscard]] bool keys_crowd();
    [[nodiscard]] std::span<int const> shares_of_buckets(kernels::BucketSort sort) const;
    [[nodiscard]] std::optional<std::uint64_t> fill_min() const; ///< see kernels::swap_sends()
    [[nodiscard]] ExchangePlan level_rounds(bool by_splitters);
    [[nodiscard]] std::size_t add_level_rounds();
    TaskId sort_keys(std::uint32_t gpu,
                     RoundKeys keys,
                     kernels::BucketSort sort,
                     std::vector<TaskId> after);
    /// \param launches kernels that are started for it, one behind the other
    TaskId add_kernel(std::uint32_t gpu,
                      KernelCost cost,
                      int launches,
                      Phase phase,
                      std::span<TaskId const> after);

    ScheduleBuilder& builder_;
    model::Plan const& plan_;
    model::KeySource& keys_;
    DeviceProfile const& device_;
    KeyFacts& facts_;
    FastKernels kernels_;
    RecordBytes record_;
    double order_;                        ///< positional_order of the keys
    std::vector<Incoming> incoming_{};    ///< [g] where keys come in
    KeySample sample_;                    ///< where pieces follow
    std::vector<std::uint64_t> images_{}; ///< of the sample
    std::vector<kernels::FinalBucket> const& buckets_;
    Stability ties_;
    std::optional<CountedTree> tree_;          ///< by which several passes were counted
    std::vector<kernels::SwapPiece> pieces_{}; ///< separated by the scatter in place of buckets
};

} // namespace keyswap::simulator
