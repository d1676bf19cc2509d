#pragma once

/// \file Random inputs of the kinds that have broken multi-GPU sorts.

#include "proptests/properties/sort_case.hpp"

#include <rapidcheck.h>

namespace keyswap::proptests {

/// Kind of key distribution: random images, few distinct ones, runs of one image, a common prefix,
/// etc. The images depend on the key type.
enum class KeyShape {
    any,           ///< every bit random
    few_distinct,  ///< up to ten images
    whole_floats,  ///< images of 1.0f .. 100.0f: few distinct, differing in the high bits
    shifted_codes, ///< small codes shifted left by 16
    prices,        ///< multiples of 100 minus 1, skewed towards small values
    dates,         ///< days of a few years
    long_prefix,   ///< differ only in the last few bits, which forces the last pass
    runs           ///< runs of equal images, which may end exactly at a border
};

/// Random cases of all shapes, with at most `key_count_max` keys on 1 to 16 GPUs.
[[nodiscard]] rc::Gen<SortCase> any_sort_case(std::size_t key_count_max);

/// Low-cardinality cases on 2 to 16 GPUs with the paper's parameters, where the published
/// implementation confuses buckets.
[[nodiscard]] rc::Gen<SortCase> low_cardinality_case(std::size_t key_count_max);

} // namespace keyswap::proptests
