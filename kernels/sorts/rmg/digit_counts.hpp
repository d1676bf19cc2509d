#pragma once

/// \file Counting passes of variant `fast`: keys are not moved until all passes are decided, and
/// are then scattered once. Several passes are counted in one read of the keys, as far as a sample
/// predicts the buckets they refine (digit_tree.hpp); a pass that refines others reads the keys
/// again. Uploaded keys are counted piece by piece as they arrive.

#include "kernels/exchange_plan/digit_tree.hpp"
#include "kernels/sorts/rmg/digit_passes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Whether the first pass also counts by the next bit.
enum class HalfDigits { counted, not_counted };

class DigitCounts final : public DigitPasses {
  public:
    /// \param gpus this process's GPUs; they have fast_memory() and raw keys in their current
    /// buffers, or an upload to them in progress
    DigitCounts(RunContext const& context, std::vector<GpuState> const& gpus, HalfDigits halves);

    void begin_pass(int pass,
                    std::vector<GpuState> const& gpus,
                    std::span<SpanningBucket const> refined) override;
    void count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const override;
    [[nodiscard]] std::span<std::uint64_t const> known_counts() const override {
        return known_counts_;
    }
    void scatter(std::vector<GpuState>& /*gpus*/,
                 std::vector<SpanningBucket> const& /*refined*/,
                 PassResult const& /*result*/) const override {}

    /// [g][2 * digits] counts of the first pass, once decided; empty if not counted.
    [[nodiscard]] std::span<std::uint64_t const> halves() const;
    /// True if each GPU has counts of its keys by their leading bits in its fast_memory(), some of
    /// which may be marked as invalid; equal on all ranks. \pre the first pass has begun
    [[nodiscard]] bool has_leading_counts() const { return has_leading_; }
    /// The tree by which several passes are counted; nullopt if one pass suffices or passes refine
    /// more buckets than a tree can hold.
    [[nodiscard]] std::optional<DigitTree> const& tree() const { return tree_; }
    /// [g][tree()->entries()] \pre tree() is not nullopt and the last pass is decided
    [[nodiscard]] std::span<std::uint64_t const> tree_counts() const;
    /// Images, ascending. \pre tree() is not nullopt
    [[nodiscard]] std::vector<std::uint64_t> const& sample() const { return sample_; }

  private:
    void take_known_counts();
    /// True if no GPU's sampled keys crowd in their leading bits, and all can count these.
    [[nodiscard]] bool can_count_leading(std::vector<GpuState> const& gpus) const;
    void count_halves(GpuState const& gpu, std::uint64_t* counts) const;
    void count_ranges(GpuState const& gpu, std::uint64_t* counts) const;
    void count_tree(GpuState const& gpu, std::uint64_t* counts) const;
    void count_digits(GpuState const& gpu, DigitWindow digits, std::uint64_t* counts) const;
    /// Calls launch(KeyRange, CountsBefore) for the whole chunk, or for each piece of an upload
    /// after a wait for it.
    template <class Launch>
    void count_pieces(GpuState const& gpu, Launch launch) const;
    /// True if the sample shows that a second pass is needed.
    [[nodiscard]] bool sees_second_pass(std::vector<GpuState> const& gpus);
    void grow_tree(std::vector<GpuState> const& gpus);
    /// Copies a row of each GPU's counts to host memory of the process's first GPU.
    void gather_counts(GpuState const& gpu, std::size_t row) const;

    GpuState const& hub_;
    HalfDigits halves_;
    bool has_leading_;                ///< GPUs exchange counts by leading bits; equal on all ranks
    bool counts_leading_ = false;     ///< this process's GPUs count by them
    CountedRanges ranges_;            ///< refined by this pass
    std::vector<BucketPrefix> known_; ///< buckets refined so far, this pass's last
    std::optional<DigitTree> tree_;
    bool reads_tree_ = false; ///< in this pass
    std::vector<std::uint64_t> known_counts_;
    std::vector<std::uint64_t> sample_; ///< images; ascending once there is a tree
};

/// Decides on counting by half digits. A scatter by 9 bits takes as long as one by 8 and saves
/// later levels a bit: 2^28 64-bit keys per GPU reach leaves after one level, where a bucket would
/// need two. Not for dense keys: 15 bits are counted after two digits.
[[nodiscard]] HalfDigits half_digits(RunContext const& context, std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
