#pragma once

/// \file What a distribution resolves to: data that generating, counting and the closed form read.

#include "model/keys/quantile_table.hpp"
#include "traces/records/key_type.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

enum class Draw {
    constant,        ///< every key has `image`
    independent,     ///< fraction from the generator, in the segment's window
    ascending,       ///< fraction from the key's global index: rank i of n in sorted order
    descending,      ///< the same from the last index down
    mostly_ascending ///< ascending, but a random share of the keys is independent
};

/// A stretch of input positions whose keys are made by one rule.
struct Segment {
    std::uint64_t begin = 0; ///< global index; it ends where the next segment begins
    Draw draw = Draw::independent;
    std::uint64_t image = 0;   ///< of a constant
    std::uint64_t u_begin = 0; ///< window of an independent draw, in fractions of 2^64
    std::uint64_t u_width = 0; ///< 0 = all 2^64
};

/// How the keys of one sort are made. Images are those of ascending order; of keys of 128 bits
/// their upper halves.
struct KeyRecipe {
    QuantileTable table;
    std::vector<Segment> segments;  ///< ascending; the first begins at 0
    std::uint64_t random_share = 0; ///< of mostly_ascending, in fractions of 2^64
};

/// What a recipe is made for.
struct RecipeRequest {
    KeyType key_type = KeyType::u32;
    std::uint64_t key_count = 0;
    std::uint64_t seed = 0;
    double parameter = 0; ///< checked against the distribution's range
};

} // namespace keyswap::model
