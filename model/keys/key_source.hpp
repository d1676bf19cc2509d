#pragma once

#include "model/buckets/bucket_histogram.hpp"
#include "model/buckets/chunks.hpp"
#include "model/buckets/digit_layout.hpp"
#include "model/keys/refined_bucket.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Upper bound of the key count of any plan or generated input.
inline constexpr std::uint64_t key_count_max = std::uint64_t{1} << 63;

/// exact: counts of actual keys; expected: rounded expectations of a distribution.
enum class Counts { exact, expected };

/// What a planner needs from the keys: histograms of the next digit of some buckets, per GPU
/// chunk. Materialized arrays, streamed generators and closed forms implement it and must agree.
/// Keys appear as their order-preserving unsigned images (key_order.hpp).
class KeySource {
  public:
    virtual ~KeySource() = default;

    [[nodiscard]] virtual std::uint64_t key_count() const = 0;
    [[nodiscard]] virtual Counts counts() const = 0;

    /// One histogram per bucket, in order.
    /// \param buckets [spanning buckets of the last pass], all of one pass q-1, ascending; each
    ///        histogram has layout.digit_count(q) digits
    /// \pre chunks.key_count() == key_count(); keys have at most 64 bits
    [[nodiscard]] virtual std::vector<BucketHistogram> histograms(
        Chunks const& chunks, DigitLayout const& layout, std::span<BucketPrefix const> buckets) = 0;

    /// Like the above for buckets with arbitrary child intervals.
    /// \param buckets all of one pass, ascending
    /// \param child_count counters per histogram; counters without a child are 0
    /// \pre chunks.key_count() == key_count()
    [[nodiscard]] virtual std::vector<BucketHistogram>
    histograms(Chunks const& chunks,
               std::span<RefinedBucket const> buckets,
               std::uint32_t child_count) = 0;

    /// Images of the keys at the given input positions, in the sort's order; used to draw samples.
    /// \pre every position is below key_count()
    [[nodiscard]] virtual std::vector<uint128>
    images_at(std::span<std::uint64_t const> positions) = 0;
};

} // namespace keyswap::model
