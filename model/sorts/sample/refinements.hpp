#pragma once

#include "model/partition/refinement.hpp"
#include "model/sorts/sample/splitters.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// Divides each bucket into ranges of equal width over its images, as bbsort (Chen et al. 2009) and
/// hybrid sort (Sintorn and Assarsson, JPDC 2008) do; both therefore collapse on non-uniform
/// keys. Needs at most 64 / c passes.
class UniformRefinement final : public Refinement {
  public:
    /// \pre 2 <= ways <= 256
    explicit UniformRefinement(int key_bits, std::uint32_t ways);
    [[nodiscard]] RefinedPass
    refine(int pass, std::span<SpanningBucket const> spanning, KeySource& source) const override;
    [[nodiscard]] int child_bits() const override { return child_bits_; }

  private:
    int key_bits_;
    std::uint32_t ways_;
    int child_bits_;
};

/// Divides buckets at splitters from a sample of the keys; a value that would fill a bucket gets an
/// equality bucket (not in the paper). Quicksort is the case k = 2, a = 1.
class SplitterRefinement final : public Refinement {
  public:
    /// \pre validated(parameters)
    SplitterRefinement(int key_bits, SampleParameters const& parameters);
    [[nodiscard]] RefinedPass
    refine(int pass, std::span<SpanningBucket const> spanning, KeySource& source) const override;
    [[nodiscard]] int child_bits() const override { return child_bits_; }

  private:
    int key_bits_;
    SampleParameters parameters_;
    int child_bits_;
};

} // namespace keyswap::model
