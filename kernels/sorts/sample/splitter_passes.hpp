#pragma once

/// \file Passes across GPUs by splitters sampled from the whole input. Sample sort differs from RMG
/// sort in these passes and in the sort of a GPU's buckets.

#include "kernels/exchange/pass_rule.hpp"
#include "kernels/local/local_memory.hpp"
#include "kernels/sorts/sample/splitters.hpp"

namespace keyswap::kernels {

class SplitterPasses final : public PassRule {
  public:
    SplitterPasses(RunContext const& context, SampleParameters const& parameters)
        : context_(context), parameters_(parameters) {}

    /// \throws SortRefused if buckets still span borders after the maximal number of passes
    void begin_pass(int pass,
                    std::vector<GpuState> const& gpus,
                    std::span<SpanningBucket const> refined) override;
    [[nodiscard]] int child_bits() const override { return child_bits_of(parameters_); }
    [[nodiscard]] ImageRange
    child_images(SpanningBucket const& refined, std::size_t i, std::uint32_t child) const override;
    [[nodiscard]] BucketFunction const* function(std::size_t i) const override;
    void count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const override;
    void scatter(std::vector<GpuState>& gpus,
                 std::vector<SpanningBucket> const& refined,
                 PassResult const& result) const override;

    /// Moves the keys of the whole chunk, counted by the first pass, to the GPU's other buffer.
    /// \param places [2^c] offset of each child's keys there
    void scatter_to(GpuState const& gpu,
                    std::vector<SpanningBucket> const& whole,
                    std::span<std::uint64_t const> places) const;

  private:
    /// The division of one bucket.
    struct Division {
        BucketFunction function;
        std::vector<WideImage> edges;
    };
    void draw(std::vector<GpuState> const& gpus, int first_pass, int last_pass);
    /// Memory for a pass's sample.
    [[nodiscard]] std::span<std::byte> sample_memory(GpuState const& hub, int pass) const;
    /// A pass's sample, unsorted.
    [[nodiscard]] std::vector<WideImage> sample_of(GpuState const& hub, int pass) const;
    void divide(GpuState const& hub, std::span<SpanningBucket const> refined);
    void upload_trees(GpuState const& gpu) const;
    void move_parts(GpuState& gpu, std::vector<SpanningBucket> const& refined) const;
    void move(GpuState const& gpu, LabelTiles const& tiles) const;

    RunContext const& context_;
    SampleParameters parameters_;
    int pass_ = 0;
    std::vector<int>
        input_buffers_; ///< [gpus of this process] buffer that holds the chunk in input order
    std::vector<Division> divisions_; ///< of the current pass, one per refined bucket
};

} // namespace keyswap::kernels
