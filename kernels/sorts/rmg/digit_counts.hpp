#pragma once

/// \file Passes of variant `fast` that only count: keys lie where they came until all passes are
/// known, and are scattered once. A later pass counts those of the whole chunk that lie in a bucket
/// which it refines, and reads no more than a scatter would have.

#include "kernels/sorts/rmg/digit_passes.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::kernels {

/// Whether the first pass counts the next bit as well.
enum class HalfDigits { counted, not_counted };

class DigitCounts final : public DigitPasses {
  public:
    /// \param hub this process's first GPU \pre the GPUs have fast_memory(), and raw keys
    DigitCounts(RunContext const& context, GpuState const& hub, HalfDigits halves)
        : DigitPasses(context, context.code), hub_(hub), halves_(halves) {}

    void begin_pass(int pass,
                    std::vector<GpuState> const& gpus,
                    std::span<SpanningBucket const> refined) override;
    void count(GpuState const& gpu, PartList const& parts, std::uint64_t* counts) const override;
    void scatter(std::vector<GpuState>& /*gpus*/,
                 std::vector<SpanningBucket> const& /*refined*/,
                 PassResult const& /*result*/) const override {}

    /// [g][2 * digits] of the first pass, once its result is known; empty where not counted.
    [[nodiscard]] std::span<std::uint64_t const> halves() const;

  private:
    void count_halves(GpuState const& gpu, std::uint64_t* counts) const;

    GpuState const& hub_;
    HalfDigits halves_;
    CountedRanges ranges_;
};

/// The scatter takes as long by 9 bits as by 8, and leaves the levels that follow one bit less: of
/// 64-bit keys, 2^28 a GPU end in leaves by one level where a bucket would need two. Not where keys
/// may be dense, which 15 bits after two digits are counted for.
[[nodiscard]] HalfDigits half_digits(RunContext const& context, std::vector<GpuState> const& gpus);

} // namespace keyswap::kernels
