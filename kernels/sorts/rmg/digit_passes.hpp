#pragma once

/// \file Passes by the digits of keys. Source: RMG paper, section 3.1.

#include "kernels/exchange/pass_rule.hpp"

namespace keyswap::kernels {

class DigitPasses : public PassRule {
  public:
    /// \param encode code of the raw keys that are counted; identity: they are images
    explicit DigitPasses(RunContext const& context, ImageCode encode = {})
        : context_(context), encode_(encode) {}

    void begin_pass(int pass,
                    std::vector<GpuState> const& gpus,
                    std::span<SpanningBucket const> refined) override;
    [[nodiscard]] int child_bits() const override;
    [[nodiscard]] ImageRange
    child_images(SpanningBucket const& refined, std::size_t i, std::uint32_t child) const override;
    [[nodiscard]] BucketFunction const* function(std::size_t i) const override;
    void count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const override;
    void scatter(std::vector<GpuState>& gpus,
                 std::vector<SpanningBucket> const& refined,
                 PassResult const& result) const override;

  protected:
    [[nodiscard]] RunContext const& context() const { return context_; }
    [[nodiscard]] int pass() const { return pass_; }
    /// Digit window of the current pass.
    [[nodiscard]] DigitWindow window() const {
        return {context_.key_shape.bits_below(pass_), child_bits(), encode_};
    }

  private:
    RunContext const& context_;
    ImageCode encode_;
    int pass_ = 0;
};

} // namespace keyswap::kernels
