#pragma once

/// \file Steps 1 and 2 of an external sort: sample the input, and choose ranges of keys that each
/// fit memory.

#include "model/keys/refined_bucket.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace keyswap::model {

/// Draws for each planned range; estimates its size to 1/16 (one standard deviation).
inline constexpr std::uint64_t draws_per_range = 256;
/// Planned fill of a range relative to memory, which leaves a margin of 5 standard deviations.
inline constexpr double range_fill = 0.75;

/// Input size and memory limits for choosing ranges.
struct RangeTarget {
    std::uint64_t record_count = 0;
    std::uint64_t records_max = 1; ///< fitting in memory at once, > 0
    std::uint64_t ranges_max = 2;  ///< limited by a partition's write buffers, > 2

    /// Target size of a range; exceeds records_max only if ranges_max requires it.
    [[nodiscard]] std::uint64_t planned_records() const;
    [[nodiscard]] std::uint64_t draws() const;
};

/// Sample positions as in sample sort: ascending, with repetitions.
[[nodiscard]] std::vector<std::uint64_t> sample_positions(RangeTarget const& target,
                                                          std::uint64_t seed);

/// Divides `within` into ascending ranges of images. A value with more than half of a planned
/// range's records gets its own range, which needs no sort, whatever its size. There are at most
/// ranges_max ranges; ranges grow to meet this limit. \param sample images of `within` at
/// sample_positions(), in any order; not empty
[[nodiscard]] std::vector<ImageInterval>
choose_ranges(std::vector<uint128> sample, RangeTarget const& target, ImageInterval within);

} // namespace keyswap::model
