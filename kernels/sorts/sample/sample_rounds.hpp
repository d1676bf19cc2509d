#pragma once

/// \file Sample sort whose first pass places every bucket: the swap runs in rounds, overlapped with
/// the sort of earlier rounds, as in RMG sort's variant `fast`.

#include "kernels/exchange/partition.hpp"
#include "kernels/runtime/sort_driver.hpp"
#include "kernels/sorts/sample/splitter_passes.hpp"

namespace keyswap::kernels {

/// \param rule of the first pass \pre first.places_all(); buffer 0 holds images
[[nodiscard]] SortOutcome
sort_samples_by_rounds(SortCall const& call, SplitterPasses const& rule, FirstPass first);

} // namespace keyswap::kernels
