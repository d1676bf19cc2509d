#pragma once

/// \file A call of a sorter, whose exceptions become errors.

#include "kernels/sorts/sort_run.hpp"

#include <functional>

namespace keyswap::kernels {

/// Calls `body`, unless there are more keys than the sorter was created for; if it throws, waits
/// for all queued work and returns an error. After a failure of its machine or peers, a rank makes
/// no further collective calls. \param trace may be null
[[nodiscard]] SortExpected<SortReport> run_sort(SorterState& state,
                                                std::uint64_t key_count,
                                                PhaseTiming timing,
                                                TraceSink* trace,
                                                std::function<SortReport(SortRun&)> const& body);

} // namespace keyswap::kernels
