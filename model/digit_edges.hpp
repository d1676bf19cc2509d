#pragma once

#include "model/digit_layout.hpp"
#include "model/key_generator.hpp"

#include <algorithm>
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

    /// The counter of an image; none where no bucket holds it.
    [[nodiscard]] std::optional<std::size_t> slot_of(std::uint64_t image) const;

    /// Adds to each counter the difference of `cumulative` at its two edges, for all that the
    /// fractions [low, high) can reach.
    /// \param cumulative keys below an edge: constant up to `low` and from `high` on
    template <class Cumulative>
    void add_differences(uint128 low,
                         uint128 high,
                         std::span<std::uint64_t> counters,
                         Cumulative const& cumulative) const {
        std::size_t const stride = std::size_t{digit_count_} + 1;
        auto const above = std::ranges::upper_bound(
            edges_, low, {}, [](Edge const& edge) { return edge.fractions; });
        // The edge at or below `low`; counting may start a step early but never late.
        auto index =
            static_cast<std::size_t>(std::max<std::ptrdiff_t>(above - edges_.begin() - 1, 0));
        std::uint64_t below = cumulative(edges_[index]);
        for (++index; index < edges_.size() && edges_[index - 1].fractions < high; ++index) {
            std::uint64_t const next = cumulative(edges_[index]);
            // The step from one bucket's last edge to the next one's first belongs to neither.
            if (index % stride != 0) {
                counters[index / stride * digit_count_ + index % stride - 1] += next - below;
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
