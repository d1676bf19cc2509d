#pragma once

#include "model/keys/key_generator.hpp"
#include "model/keys/key_source.hpp"

#include <functional>

namespace keyswap::model {

/// Makes the keys, counts them and keeps none: a sort of any size is planned in the memory of its
/// histograms. Every pass makes all keys again, in one sweep for all spanning buckets.
class StreamedSource final : public KeySource {
  public:
    /// \param on_keys_counted called, by many threads at once, with the number of keys as they are
    /// counted, and of how
    ///        many there are until the end of this pass
    explicit StreamedSource(
        KeyGenerator generator,
        Direction direction = Direction::ascending,
        std::function<void(std::uint64_t more, std::uint64_t all)> on_keys_counted = nullptr)
        : generator_(std::move(generator)), direction_(direction),
          on_keys_counted_(std::move(on_keys_counted)) {}

    [[nodiscard]] std::uint64_t key_count() const override { return generator_.key_count(); }
    [[nodiscard]] Counts counts() const override { return Counts::exact; }
    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override;
    [[nodiscard]] std::vector<BucketHistogram> histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) override;
    [[nodiscard]] std::vector<uint128> images_at(std::span<std::uint64_t const> positions) override;

  private:
    /// \tparam Image as wide as the keys
    template <class Image, class Slots>
    std::vector<BucketHistogram> count(Chunks const& chunks,
                                       Slots const& slots,
                                       std::uint32_t digits,
                                       std::span<BucketPrefix const> buckets);

    KeyGenerator generator_;
    Direction direction_;
    std::function<void(std::uint64_t, std::uint64_t)> on_keys_counted_;
    std::uint64_t sweeps_ = 0;
};

} // namespace keyswap::model
