#pragma once

/// \file Steps specific to variant `fast`: passes that only count, one scatter into the order of
/// the swap, and the sort of each round's keys. round_swap.hpp has the swap.

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

/// True if a GPU that sorts alone would divide a chunk's number of keys by digits; then each GPU
/// sorts its buckets by levels.
[[nodiscard]] bool sorts_by_levels(model::Plan const& plan);

/// True if the scatter may separate other ranges than the buckets of one pass. A stable scatter
/// cannot, as it reads a digit.
[[nodiscard]] bool sorts_by_pieces(model::Plan const& plan);

/// Chooses each round's sort: counting for 32-bit keys without values and with 24 bits left after
/// one pass, if stretches of 2^15 adjacent images hold >= 3,072 keys on average and, by 4,096
/// sampled keys of each GPU, none holds far more; else levels or steps.
[[nodiscard]] kernels::BucketSort round_sort_of(model::Plan const& plan, model::KeySource& keys);

/// Adds the steps of a sort to a schedule. \pre device.fast has a value
class FastSteps {
  public:
    /// The five arguments must outlive the object.
    FastSteps(ScheduleBuilder& builder,
              model::Plan const& plan,
              model::KeySource& keys,
              DeviceProfile const& device,
              KeyFacts& facts);

    /// Copies keys from host memory in pieces, overlapped with counting; values follow later.
    void add_upload();
    /// Adds each pass's histograms, their exchange and the placement. If levels follow, a reading
    /// may count several passes, as far as a sample shows what these refine.
    void add_counts();
    /// Likewise with a scatter in each pass, whose result the next pass refines; used if no levels
    /// follow.
    void add_passes();

    /// Adds the scatter, then rounds of copies and sorts. \pre one pass places every bucket, or the
    /// sort is by levels \return the number of copies between GPUs
    std::size_t add_rounds(kernels::BucketSort sort);

  private:
    struct IncomingPiece {
        std::uint64_t keys = 0;
        TaskId come;
    };
    /// A GPU's keys on their way from host memory, and the stream that copies them.
    struct Incoming {
        StreamId stream;
        std::vector<IncomingPiece> pieces;
    };
    /// Size of one GPU's sort in one round.
    struct RoundKeys {
        std::uint64_t count = 0;
        std::uint64_t buckets = 0;
    };

    void count(int pass, std::uint32_t gpu, std::uint64_t keys);
    void count_tree(int pass, std::uint32_t gpu, CountedTree const& tree);
    /// Adds a kernel that reads all keys, or in the first pass one for each incoming piece.
    /// \param cost_of maps a number of keys to a KernelCost
    template <class CostOf>
    void add_reading(int pass, std::uint32_t gpu, std::uint64_t keys, CostOf cost_of);
    /// Copies the values in; later tasks wait. \pre the first pass has its barrier
    void add_values_upload();
    void plan_pass(int pass, double host_us);
    /// \param spreads [histograms of the pass]
    void scatter(model::PassPlan const& pass, std::uint32_t gpu, std::span<BlockSpreads> spreads);
    void scatter_to_rounds(model::BucketHistogram const& labels, kernels::BucketSort sort);
    /// True if the first pass counts one bit more than its digit.
    [[nodiscard]] bool counts_halves() const;
    /// True if the first pass counts 17 or 18 bits, which levels and steps then need not count.
    [[nodiscard]] bool counts_leading();
    [[nodiscard]] bool has_crowded_keys();
    [[nodiscard]] std::span<int const> shares_of_buckets(kernels::BucketSort sort) const;
    [[nodiscard]] std::optional<std::uint64_t> fill_min() const; ///< see kernels::swap_sends()
    [[nodiscard]] ExchangePlan level_rounds(bool by_splitters);
    [[nodiscard]] std::size_t add_level_rounds();
    TaskId sort_keys(std::uint32_t gpu,
                     RoundKeys keys,
                     kernels::BucketSort sort,
                     std::vector<TaskId> after);
    /// \param launches kernels launched back to back
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
    std::vector<Incoming> incoming_{};    ///< [g] empty unless keys come from host memory
    KeySample sample_;                    ///< empty unless by pieces
    std::vector<std::uint64_t> images_{}; ///< of sample_
    std::vector<kernels::FinalBucket> const& buckets_;
    Stability ties_;
    std::optional<CountedTree> tree_;          ///< counts of several passes
    bool first_reads_digits_ = false;          ///< no tree in the first pass
    std::vector<kernels::SwapPiece> pieces_{}; ///< scattered instead of buckets
};

} // namespace keyswap::simulator
