#pragma once

#include "model/keys/key_source.hpp"
#include "traces/records/key_type.hpp"

#include <functional>
#include <span>
#include <utility>
#include <variant>

namespace keyswap::model {

/// Progress callback, called concurrently: `more` keys were just counted; `all` is the number of
/// keys counted by the end of this pass, over all passes so far.
using OnKeysCounted = std::function<void(std::uint64_t more, std::uint64_t all)>;

/// Destination of images, of the keys' width.
using ImageSpan =
    std::variant<std::span<std::uint32_t>, std::span<std::uint64_t>, std::span<uint128>>;

/// Counts keys batch by batch without storing them, so that a sort of any size is planned in the
/// memory of its histograms. Every pass sweeps over all keys once, for all spanning buckets.
class SweptSource : public KeySource {
  public:
    [[nodiscard]] Counts counts() const final { return Counts::exact; }
    [[nodiscard]] std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets) final;
    [[nodiscard]] std::vector<BucketHistogram> histograms(Chunks const& chunks,
                                                          std::span<RefinedBucket const> buckets,
                                                          std::uint32_t child_count) final;

  protected:
    SweptSource(KeyType key_type, std::uint64_t batch_size, OnKeysCounted on_keys_counted)
        : key_type_(key_type), batch_size_(batch_size),
          on_keys_counted_(std::move(on_keys_counted)) {}

    /// Writes the images of the keys from `first` on. Called concurrently.
    virtual void read_images(std::uint64_t first, ImageSpan const& images) = 0;
    /// Called after each sweep, before anything relies on its counts. May throw.
    virtual void end_sweep() {}

  private:
    /// \tparam Image unsigned integer of the keys' width
    template <class Image, class Slots>
    std::vector<BucketHistogram> count(Chunks const& chunks,
                                       Slots const& slots,
                                       std::uint32_t digits,
                                       std::span<BucketPrefix const> buckets);

    KeyType key_type_;
    std::uint64_t batch_size_;
    OnKeysCounted on_keys_counted_;
    std::uint64_t sweeps_ = 0;
};

} // namespace keyswap::model
