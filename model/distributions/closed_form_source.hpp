#pragma once

#include "model/distributions/key_generator.hpp"
#include "model/keys/key_source.hpp"

namespace keyswap::model {

/// Counts from the distribution alone, without generating keys: exact if positions determine the
/// keys, otherwise the rounded expected counts.
///
/// If m keys are drawn independently, the count below an image is round(m F), F being the
/// distribution function in 64-bit fixed point; a bucket's count is the difference at its two ends.
/// Hence the counts of sub-buckets add up to their bucket's, and those of all buckets to m.
class ClosedFormSource final : public KeySource {
  public:
    explicit ClosedFormSource(KeyGenerator generator, Direction direction = Direction::ascending);

    [[nodiscard]] std::uint64_t key_count() const override { return generator_.key_count(); }
    [[nodiscard]] Counts counts() const override { return counts_; }
    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override;
    [[nodiscard]] std::vector<BucketHistogram> histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) override;
    [[nodiscard]] std::vector<uint128> images_at(std::span<std::uint64_t const> positions) override;

  private:
    KeyGenerator generator_;
    Direction direction_;
    Counts counts_;
};

} // namespace keyswap::model
