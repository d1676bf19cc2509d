#pragma once

#include "model/buckets/digit_layout.hpp"
#include "model/keys/key_generator.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Where the next digits of some buckets begin and end in a generator's unit interval, in ascending
/// order of images. For a descending sort the buckets and digits are mirrored, so that edges ascend
/// all the same; RowPool mirrors the counts back.
class DigitEdges {
  public:
    struct Edge {
        uint128 fractions = 0;   ///< fractions of 2^64 below the edge
        std::uint64_t ranks = 0; ///< ranks of sorted input below the edge
    };

    /// \pre buckets is not empty; all of one pass, ascending
    DigitEdges(KeyGenerator const& generator,
               DigitLayout const& layout,
               std::span<BucketPrefix const> buckets,
               Direction direction);

    [[nodiscard]] std::uint32_t digit_count() const { return digit_count_; }

    /// The counter of an image; none if no bucket holds it.
    [[nodiscard]] std::optional<std::size_t> slot_of(uint128 image) const;

    /// Edges among which the fractions [low, high) fall: from the last one at or below `low` to the
    /// first one at or above `high`, inclusive, as indices.
    struct Reach {
        std::size_t first = 0;
        std::size_t last = 0;
    };
    [[nodiscard]] Reach reach(uint128 low, uint128 high) const;
    [[nodiscard]] Edge const& edge(std::size_t index) const { return edges_[index]; }

    /// Adds to each counter the difference of `cumulative` at its two edges.
    /// \param cumulative keys below the edge of an index; the same at all edges outside the reach
    template <class Cumulative>
    void add_differences(Reach reach,
                         std::span<std::uint64_t> counters,
                         Cumulative const& cumulative) const {
        std::size_t const stride = std::size_t{digit_count_} + 1;
        std::size_t bucket = reach.first / stride;
        std::size_t digit = reach.first % stride;
        std::uint64_t below = cumulative(reach.first);
        for (std::size_t index = reach.first + 1; index <= reach.last; ++index) {
            std::uint64_t const next = cumulative(index);
            if (digit == digit_count_) {
                // The step from a bucket's last edge to the next one's first belongs to neither.
                ++bucket;
                digit = 0;
            } else {
                counters[bucket * digit_count_ + digit] += next - below;
                ++digit;
            }
            below = next;
        }
    }

  private:
    DigitLayout layout_;
    std::uint32_t digit_count_;
    std::vector<BucketPrefix> buckets_; ///< ascending images
    std::vector<Edge> edges_;           ///< [buckets][digit_count + 1]
};

} // namespace keyswap::model
