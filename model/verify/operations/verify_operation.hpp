#pragma once

/// \file Runs that are not sorts: multisplits, histograms and shortest-path searches; and sorts
/// whose steps partition the whole array.

#include "model/verify/expected/input_keys.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <string>

namespace keyswap::model::verify {

/// Verifies a run according to its header's operation.
/// \param keys of the run; null: regenerated from its header
/// \pre the operation is not sort, or the run has partitions
[[nodiscard]] Expected<Report>
verify_operation(RecordedRun const& run, InputKeys* keys, VerifyLimits const& limits);

/// Recomputes functions, counts, starts, tables and outputs of all partitions from the keys, step
/// by step. Checks that would need unavailable keys, labels or functions are listed as skipped; the
/// other records are compared with each other.
/// \param keys null if they are not available
/// \pre the records are within the bounds of operation_bounds.hpp
/// \return an error if a check would exceed the limits
[[nodiscard]] Expected<void> verify_partitions(RecordedRun const& run,
                                               InputKeys const* keys,
                                               VerifyLimits const& limits,
                                               Report& report);

/// Recomputes every round and the distances on the graph in the header.
/// \pre the records are within the bounds of operation_bounds.hpp
[[nodiscard]] Expected<void>
verify_relaxations(RecordedRun const& run, VerifyLimits const& limits, Report& report);

/// Compares memory, divisions, ranges, runs and places of an external sort with each other and, if
/// the header's files are available, with the model's plan for their records.
[[nodiscard]] Expected<void>
verify_external_sort(RecordedRun const& run, VerifyLimits const& limits, Report& report);

} // namespace keyswap::model::verify
