#pragma once

/// \file What the merge sorts' entries in the registry share: they differ in their plans alone.

#include "model/sorts/algorithm.hpp"
#include "model/sorts/merge/merge_plan.hpp"

namespace keyswap::model {

/// A plan of a merge sort in the form of every sort's plan.
[[nodiscard]] SortPlanPointer merge_sort_plan(MergePlan plan);

template <Expected<MergePlan> (*plan)(SortConfig const&, KeySource&)>
Expected<SortPlanPointer> plan_merge(SortConfig const& config, KeySource& source) {
    return plan(config, source).map([](MergePlan merge) {
        return merge_sort_plan(std::move(merge));
    });
}

} // namespace keyswap::model
