#pragma once

/// \file Passes of variant `fast` that only count: keys lie where they came until all passes are
/// known, and are scattered once. What several passes count is read from the keys once, as far as a
/// sample of them predicts which buckets they will refine (digit_tree.hpp); a pass that refines
/// others reads them again. Keys from host memory are counted as they come, piece by piece.

#include "kernels/exchange_plan/digit_tree.hpp"
#include "kernels/sorts/rmg/digit_passes.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Whether the first pass counts the next bit as well.
enum class HalfDigits { counted, not_counted };

class DigitCounts final : public DigitPasses {
  public:
    /// \param gpus this process's, with fast_memory() and raw keys in their current buffers, or on
    /// their way there
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

    /// [g][2 * digits] of the first pass, once its result is known; empty where not counted.
    [[nodiscard]] std::span<std::uint64_t const> halves() const;
    /// By which several passes are counted; nullopt if there is one, or they refine more buckets
    /// than a tree has.
    [[nodiscard]] std::optional<DigitTree> const& tree() const { return tree_; }
    /// [g][tree()->entries()] \pre tree(), and the last pass is decided
    [[nodiscard]] std::span<std::uint64_t const> tree_counts() const;
    /// Images, ascending. \pre tree()
    [[nodiscard]] std::vector<std::uint64_t> const& sample() const { return sample_; }

  private:
    void take_known_counts();
    void count_halves(GpuState const& gpu, std::uint64_t* counts) const;
    void count_ranges(GpuState const& gpu, std::uint64_t* counts) const;
    void count_tree(GpuState const& gpu, std::uint64_t* counts) const;
    void count_digits(GpuState const& gpu, DigitWindow digits, std::uint64_t* counts) const;
    /// Calls launch(KeyRange, CountsBefore) for the whole chunk, or for each piece of it once it
    /// has come.
    template <class Launch>
    void count_pieces(GpuState const& gpu, Launch launch) const;
    /// Whether the sample shows that there will be a second pass.
    [[nodiscard]] bool sees_second_pass(std::vector<GpuState> const& gpus);
    void grow_tree(std::vector<GpuState> const& gpus);
    /// Takes a row of every GPU to the first one's host memory.
    void gather_counts(GpuState const& gpu, std::size_t row) const;

    GpuState const& hub_;
    HalfDigits halves_;
    CountedRanges ranges_;            ///< that this pass refines
    std::vector<BucketPrefix> known_; ///< those that passes refined, this one's at the end
    std::optional<DigitTree> tree_;
    bool reads_tree_ = false; ///< in this pass
    std::vector<std::uint64_t> known_counts_;
    std::vector<std::uint64_t> sample_; ///< images; ascending once there is a tree
};

/// The scatter takes as long by 9 bits as by 8, and leaves the levels that follow one bit less: of
/// 64-bit keys, 2^28 a GPU end in leaves by one level where a bucket would need two. Not where keys
/// may be dense, which 15 bits after two digits are counted for.
[[nodiscard]] HalfDigits half_digits(RunContext const& context, std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
