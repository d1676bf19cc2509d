#pragma once

#include "model/buckets/bucket_histogram.hpp"
#include "model/buckets/chunks.hpp"
#include "model/buckets/digit_layout.hpp"
#include "model/keys/refined_bucket.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Most keys that anything here plans or makes.
inline constexpr std::uint64_t key_count_max = std::uint64_t{1} << 63;

/// Whether a source counts keys that exist, or those that a distribution promises.
enum class Counts { exact, expected };

/// All that a planner asks of the keys: how many of each GPU's chunk fall into each next digit of
/// some buckets. Materialized arrays, streamed generators and closed forms answer it, and must
/// agree. Keys are seen as their order-preserving unsigned images (key_order.hpp).
class KeySource {
  public:
    virtual ~KeySource() = default;

    [[nodiscard]] virtual std::uint64_t key_count() const = 0;
    [[nodiscard]] virtual Counts counts() const = 0;

    /// One histogram for each bucket, in order.
    /// \param buckets [spanning buckets of the last pass], all of one pass q-1, ascending; each
    ///        histogram has layout.digit_count(q) digits
    /// \pre chunks.key_count() == key_count(); keys have at most 64 bits
    [[nodiscard]] virtual std::vector<BucketHistogram> histograms(
        Chunks const& chunks, DigitLayout const& layout, std::span<BucketPrefix const> buckets) = 0;

    /// The same for buckets whose children are any intervals.
    /// \param buckets all of one pass, ascending
    /// \param child_count counters of each histogram; those without a child stay 0
    /// \pre chunks.key_count() == key_count()
    [[nodiscard]] virtual std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               std::span<RefinedBucket const> buckets,
               std::uint32_t child_count) = 0;

    /// Images of the keys at some input positions, in the sort's order: what a sample is drawn
    /// from. \pre every position is below key_count()
    [[nodiscard]] virtual std::vector<uint128>
    images_at(std::span<std::uint64_t const> positions) = 0;
};

} // namespace keyswap::model
