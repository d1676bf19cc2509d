#pragma once

/// \file Steps 1 and 2 of an external sort: a sample of the input, and ranges of keys that are
/// chosen from it so that each fits memory.

#include "model/keys/refined_bucket.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Draws for each range that fits: the size of a range is known to 1/16 (one standard deviation).
inline constexpr std::uint64_t draws_per_range = 256;
/// Share of what fits that a range is planned for, 5 standard deviations below the whole.
inline constexpr double range_fill = 0.75;

/// What ranges are chosen for.
struct RangeTarget {
    std::uint64_t record_count = 0;
    std::uint64_t records_max = 1; ///< that fit memory at once, > 0
    std::uint64_t ranges_max = 2;  ///< that a partition has buffers for, > 2

    /// Records that a range is planned for: more than fit only where ranges_max demands it.
    [[nodiscard]] std::uint64_t planned_records() const;
    [[nodiscard]] std::uint64_t draws() const;
};

/// Positions of the sample, ascending, with repetitions: those of sample sort.
[[nodiscard]] std::vector<std::uint64_t> sample_positions(RangeTarget const& target,
                                                          std::uint64_t seed);

/// Ranges of images that hold every image of `within`, ascending. A value that takes more than half
/// of a planned range gets a range of its own, which needs no sort, whatever its size. There are at
/// most ranges_max: ranges grow where there would be more. \param sample images of `within` at
/// sample_positions(), in any order; not empty
[[nodiscard]] std::vector<ImageInterval>
choose_ranges(std::vector<uint128> sample, RangeTarget const& target, ImageInterval within);

} // namespace keyswap::model
