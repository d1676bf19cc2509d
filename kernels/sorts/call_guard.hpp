#pragma once

/// \file What every call of a sorter looks at first, and how its failures become errors.

#include "kernels/sorts/sort_run.hpp"

#include <functional>
#include <optional>

namespace keyswap::kernels {

/// Says that a sorter was made for fewer keys; nullopt if it was not.
[[nodiscard]] std::optional<SortError> count_error(SorterState const& state,
                                                   std::uint64_t key_count);

/// Runs `body`, turning its failure into an error once all queued work has ended. A rank whose
/// machine or peers failed takes no further step.
[[nodiscard]] SortExpected<SortReport> guarded(SortRun& run,
                                               std::function<SortReport()> const& body);

} // namespace keyswap::kernels
