#pragma once

#include "model/partition/refinement.hpp"
#include "model/sorts/sample/splitters.hpp"

#include <cstdint>
#include <span>

namespace keyswap::model {

/// Ranges of equal width over the images of each bucket: bbsort (Chen et al. 2009) and hybrid sort
/// (Sintorn and Assarsson, JPDC 2008) divide so, which is why they collapse on keys that are not
/// uniform. Never needs more than 64 / c passes.
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

/// Splitters drawn from the keys; values that fill a bucket on their own get an equality bucket
/// (which the paper does not describe). Quicksort is this with k = 2, a = 1.
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
