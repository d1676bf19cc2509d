#pragma once

/// \file What every plan and every replay must satisfy, stated without the planner's own code.

#include "model/sorts/algorithm.hpp"
#include "proptests/properties/sort_case.hpp"

#include <functional>
#include <optional>
#include <string>

namespace keyswap::proptests {

/// Changes a plan before it is carried out: how faults are planted.
using PlanChange = std::function<void(model::Plan&)>;

/// Plans the case as an RMG sort, carries it out and says what is wrong:
/// the output is not the sorted permutation; after the one swap a GPU holds keys that belong to
/// another; a GPU owns more than C + 2E; more buckets than the passes can make; sort groups
/// that do not cover a GPU's keys. \param change planted fault; none by default
[[nodiscard]] std::optional<std::string> check_rmg(SortCase const& sort_case,
                                                   PlanChange const& change = {});

/// Plans the case with any sort of the model and carries it out. A sort may refuse a number of GPUs
/// that it is not for, and nothing else.
[[nodiscard]] std::optional<std::string> check_sort(model::Algorithm const& algorithm,
                                                    SortCase const& sort_case);

} // namespace keyswap::proptests
