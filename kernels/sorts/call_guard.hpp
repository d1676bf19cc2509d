#pragma once

/// \file Checks at the start of every call of a sorter, and conversion of exceptions to errors.

#include "kernels/sorts/sort_run.hpp"

#include <functional>
#include <optional>

namespace keyswap::kernels {

/// An error if key_count exceeds what the sorter was created for; otherwise nullopt.
[[nodiscard]] std::optional<SortError> count_error(SorterState const& state,
                                                   std::uint64_t key_count);

/// Runs `body`; if it throws, waits for all queued work and returns an error. After a failure of
/// its machine or peers, a rank makes no further collective calls.
[[nodiscard]] SortExpected<SortReport> guarded(SortRun& run,
                                               std::function<SortReport()> const& body);

} // namespace keyswap::kernels
