#pragma once

#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// A GPU with more groups than this sorts its range in one call: launches would cost more than the
/// groups save. Source: the published implementation.
inline constexpr std::size_t sort_group_count_max = 128;
/// With at least this many groups the copy back overlaps with the sort of later groups.
/// Source: the published implementation.
inline constexpr std::size_t overlap_group_count_min = 4;

/// Plans the calls of the bucket sort: each GPU's buckets, with small adjacent buckets of one pass
/// fused, and the bits that are not yet sorted. A bucket whose keys are all equal needs no sort;
/// its end bit is 0, as it is for a digit bucket after the last pass.
/// Source: RMG paper, section 3.3.
[[nodiscard]] std::vector<SortGroup> plan_sort_groups(Plan const& plan);

/// One above the highest bit that can differ among keys with images from the lowest of `first` to
/// the highest of `last`; 0 if they are all equal.
[[nodiscard]] int group_end_bit(ImageInterval const& first, ImageInterval const& last);

} // namespace keyswap::model
