#pragma once

/// \file Random inputs of the kinds on which multi-GPU sorts have failed.

#include "proptests/properties/sort_case.hpp"

#include <rapidcheck.h>

namespace keyswap::proptests {

/// Any images, few distinct ones, runs of one image, images that share a long prefix: what a shape
/// gives for a key type.
enum class KeyShape {
    any,           ///< every bit random
    few_distinct,  ///< up to ten images
    whole_floats,  ///< the images of 1.0f .. 100.0f: few distinct, different in the high bits
    shifted_codes, ///< small codes shifted left by 16
    prices,        ///< multiples of 100 less 1, skewed to the small
    dates,         ///< days of a few years
    long_prefix,   ///< equal but for the last few bits, which forces the last pass
    runs           ///< stretches of one image, which may end exactly at a border
};

/// Random cases of at most `key_count_max` keys on 1 to 16 GPUs, of all shapes.
[[nodiscard]] rc::Gen<SortCase> any_sort_case(std::size_t key_count_max);

/// Cases of low cardinality on 2 to 16 GPUs with the paper's parameters: those in which the
/// published implementation confuses buckets.
[[nodiscard]] rc::Gen<SortCase> low_cardinality_case(std::size_t key_count_max);

} // namespace keyswap::proptests
