#pragma once

/// \file Invariants of every plan and replay, stated independently of the planner's code.

#include "model/sorts/algorithm.hpp"
#include "proptests/properties/sort_case.hpp"

#include <functional>
#include <optional>
#include <string>

namespace keyswap::proptests {

/// Changes a plan before it is executed; used to plant faults.
using PlanChange = std::function<void(model::Plan&)>;

/// Plans the case as an RMG sort, executes it and returns the problem: the output is not the sorted
/// permutation, a GPU holds keys of another one after the single swap, a GPU owns more than C + 2E
/// keys, there are more buckets than the passes can create, or sort groups do not cover a GPU's
/// keys. \param change planted fault; none by default
[[nodiscard]] std::optional<std::string> check_rmg(SortCase const& sort_case,
                                                   PlanChange const& change = {});

/// Plans the case with any sort of the model and executes it. The only refusal accepted is that of
/// an unsupported number of GPUs.
[[nodiscard]] std::optional<std::string> check_sort(model::Algorithm const& algorithm,
                                                    SortCase const& sort_case);

} // namespace keyswap::proptests
