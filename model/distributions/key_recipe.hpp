#pragma once

/// \file A resolved distribution, as data: input of generating, counting and the closed form.

#include "model/distributions/quantile_table.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::model {

enum class Draw {
    constant,        ///< every key has the image `image`
    independent,     ///< fraction from the generator, within the segment's window
    ascending,       ///< fraction from the key's global index: rank i of n in sorted order
    descending,      ///< like ascending, from the last index down
    mostly_ascending ///< ascending, except for a random share of independent keys
};

/// A range of input positions whose keys follow one rule.
struct Segment {
    std::uint64_t begin = 0; ///< global index; the segment ends where the next one begins
    Draw draw = Draw::independent;
    std::uint64_t image = 0;   ///< for Draw::constant
    std::uint64_t u_begin = 0; ///< window of an independent draw, in fractions of 2^64
    std::uint64_t u_width = 0; ///< 0 = all 2^64
};

/// How to generate the keys of one sort. Images are in ascending order; for 128-bit keys they are
/// the upper halves.
struct KeyRecipe {
    QuantileTable table;
    std::vector<Segment> segments;  ///< ascending; the first begins at 0
    std::uint64_t random_share = 0; ///< of mostly_ascending, in units of 2^-64
};

/// Everything that determines the keys, besides generator_version.
struct KeyRequest {
    std::string distribution = "uniform";
    std::optional<double> parameter; ///< the distribution's default if absent
    KeyType key_type = KeyType::u32;
    std::uint64_t key_count = 0; ///< n, at most 2^63
    std::uint64_t seed = 1;
};

} // namespace keyswap::model
