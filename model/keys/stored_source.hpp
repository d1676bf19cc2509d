#pragma once

#include "model/keys/key_source.hpp"
#include "model/keys/stored_keys.hpp"

#include <functional>
#include <mutex>
#include <optional>
#include <utility>

namespace keyswap::model {

/// Counts keys where they are stored, and keeps none: a file of any size is planned in the memory
/// of its histograms. Every pass reads all keys again.
class StoredSource final : public KeySource {
  public:
    /// \param on_keys_counted as that of StreamedSource
    StoredSource(StoredKeys keys,
                 Direction direction,
                 ZeroOrder zero_order,
                 std::function<void(std::uint64_t more, std::uint64_t all)> on_keys_counted)
        : keys_(std::move(keys)), direction_(direction), zero_order_(zero_order),
          on_keys_counted_(std::move(on_keys_counted)) {}

    [[nodiscard]] std::uint64_t key_count() const override { return keys_.key_count(); }
    [[nodiscard]] Counts counts() const override { return Counts::exact; }
    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) override;
    [[nodiscard]] std::vector<BucketHistogram> histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) override;
    [[nodiscard]] std::vector<uint128> images_at(std::span<std::uint64_t const> positions) override;

    /// What went wrong when keys were read. What was counted is of no use then.
    [[nodiscard]] std::optional<InputError> const& error() const { return error_; }

  private:
    template <class Image>
    void read_images(std::uint64_t first, std::span<Image> images);
    /// \tparam Image as wide as the keys
    template <class Image, class Slots>
    std::vector<BucketHistogram> count(Chunks const& chunks,
                                       Slots const& slots,
                                       std::uint32_t digits,
                                       std::span<BucketPrefix const> buckets);

    StoredKeys keys_;
    Direction direction_;
    ZeroOrder zero_order_;
    std::function<void(std::uint64_t, std::uint64_t)> on_keys_counted_;
    std::uint64_t sweeps_ = 0;
    std::mutex error_mutex_;
    std::optional<InputError> error_;
};

} // namespace keyswap::model
