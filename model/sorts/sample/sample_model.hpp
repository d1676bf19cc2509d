#pragma once

/// \file Shared by the registry entries of sorts by refinement, which differ only in their
/// refinements.

#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/rmg_sort_plan.hpp"
#include "model/sorts/sample/sample_sort.hpp"
#include "traces/catalog/parameters.hpp"

namespace keyswap::model {

/// The parameter's value, or its default. \pre the algorithm has the parameter
[[nodiscard]] inline std::uint64_t
parameter_of(SortConfig const& config, std::string_view algorithm, std::string_view parameter) {
    return value_of(config, *find_parameter(**find_algorithm_info(algorithm), parameter));
}

template <std::unique_ptr<Refinement const> (*refinement)(SortConfig const&)>
Expected<SortPlanPointer> plan_refined(SortConfig const& config, KeySource& source) {
    return plan_refined_sort(config, *refinement(config), source).map(rmg_sort_plan);
}

} // namespace keyswap::model
