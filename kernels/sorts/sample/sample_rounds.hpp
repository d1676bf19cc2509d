#pragma once

/// \file Sample sort whose first pass places every bucket: keys swap in rounds, as those of RMG
/// sort's `fast` do, behind the sort of earlier rounds.

#include "kernels/exchange/partition.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "kernels/sorts/sample/splitter_passes.hpp"

namespace keyswap::kernels {

/// \param rule with which the first pass was made \pre first.places_all(); images lie in buffer 0
[[nodiscard]] SortOutcome
sort_samples_by_rounds(SortCall const& call, SplitterPasses const& rule, FirstPass first);

} // namespace keyswap::kernels
