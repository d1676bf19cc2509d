#pragma once

#include "model/distributions/key_generator.hpp"
#include "model/keys/refined_bucket.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace keyswap::model {

/// Edges of counted intervals in a generator's unit interval, ascending in its image order.
/// A descending sort mirrors the intervals.
class IntervalEdges {
  public:
    struct Edge {
        uint128 fractions = 0;   ///< fractions (units of 2^-64) below the edge
        std::uint64_t ranks = 0; ///< ranks of sorted input below the edge
    };

    /// \param intervals ascending images in the sort's order; not empty
    IntervalEdges(KeyGenerator const& generator,
                  std::span<CountedInterval const> intervals,
                  Direction direction);

    /// The counter of an image in ascending order; `nullopt` if no interval contains it.
    [[nodiscard]] std::optional<std::size_t> slot_of(uint128 image) const;

    /// Indices of the edges around the fractions [low, high): the last edge at or below `low` and
    /// the first edge at or above `high`, inclusive.
    struct Reach {
        std::size_t first = 0;
        std::size_t last = 0;
    };
    [[nodiscard]] Reach reach(uint128 low, uint128 high) const;
    [[nodiscard]] Edge const& edge(std::size_t index) const { return edges_[index]; }

    /// Adds to each counter the difference of `cumulative` between its two edges.
    /// \param cumulative keys below edge `index`; constant outside the reach
    template <class Cumulative>
    void add_differences(Reach reach,
                         std::span<std::uint64_t> counters,
                         Cumulative const& cumulative) const {
        std::uint64_t below = cumulative(reach.first);
        for (std::size_t index = reach.first + 1; index <= reach.last; ++index) {
            std::uint64_t const next = cumulative(index);
            if (slots_[index - 1]) {
                counters[*slots_[index - 1]] += next - below;
            }
            below = next;
        }
    }

  private:
    std::vector<uint128> images_; ///< ascending image of each edge; omits the one above all images
    std::vector<Edge> edges_;
    std::vector<std::optional<std::size_t>> slots_; ///< counter of the images after each edge
};

} // namespace keyswap::model
