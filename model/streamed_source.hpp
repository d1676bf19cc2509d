#pragma once

#include "model/key_generator.hpp"
#include "model/key_source.hpp"

namespace keyswap::model {

/// Makes the keys, counts them and keeps none: a sort of any size is planned in the memory of its
/// histograms. Every pass makes all keys again, in one sweep for all spanning buckets.
class StreamedSource final : public KeySource {
  public:
    explicit StreamedSource(KeyGenerator generator, Direction direction = Direction::ascending)
        : generator_(std::move(generator)), direction_(direction) {}

    [[nodiscard]] std::uint64_t key_count() const override { return generator_.key_count(); }
    [[nodiscard]] Counts counts() const override { return Counts::exact; }
    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override;

  private:
    KeyGenerator generator_;
    Direction direction_;
};

} // namespace keyswap::model
