#pragma once

#include "model/sorts/rmg/plan.hpp"

#include <cstdint>
#include <vector>

namespace keyswap::model {

/// More groups than this on a GPU are sorted in one go: launches would cost more than they save.
/// Source: the published implementation.
inline constexpr std::size_t sort_group_count_max = 128;
/// With at least this many groups the copy back overlaps with the sort of later groups.
/// Source: the published implementation.
inline constexpr std::size_t overlap_group_count_min = 4;

/// The calls of the bucket sort: each GPU's buckets, small neighbours of one pass fused, with the
/// bits that are left to sort. Buckets that hold one value each need no sort; fused or not, their
/// end bit is 0. Digits leave such buckets after the last pass.
/// Source: RMG paper, section 3.3.
[[nodiscard]] std::vector<SortGroup> plan_sort_groups(Plan const& plan);

/// One above the highest bit in which keys from the images of `first` to those of `last` can
/// differ.
[[nodiscard]] int group_end_bit(ImageInterval const& first, ImageInterval const& last);

} // namespace keyswap::model
