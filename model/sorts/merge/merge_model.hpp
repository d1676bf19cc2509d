#pragma once

/// \file Shared by the registry entries of the merge sorts, which differ only in their plans.

#include "model/sorts/algorithm.hpp"
#include "model/sorts/merge/merge_plan.hpp"

namespace keyswap::model {

/// Adapts a plan of a merge sort to the interface that all sorts share.
[[nodiscard]] SortPlanPointer merge_sort_plan(MergePlan plan);

template <Expected<MergePlan> (*plan)(SortConfig const&, KeySource&)>
Expected<SortPlanPointer> plan_merge(SortConfig const& config, KeySource& source) {
    return plan(config, source).map([](MergePlan merge) {
        return merge_sort_plan(std::move(merge));
    });
}

} // namespace keyswap::model
