#pragma once

/// \file Runs that are not sorts: multisplits, histograms and searches for shortest paths; and the
/// steps of sorts that partition the whole array again and again.

#include "model/verify/input_keys.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <string>

namespace keyswap::model::verify {

/// Verifies a run by its header's operation.
/// \param keys of the run; null: made again from its header
/// \pre the operation is none of sorting, or the run has partitions
[[nodiscard]] Expected<Report>
verify_operation(RecordedRun const& run, InputKeys* keys, VerifyLimits const& limits);

/// Functions, counts, starts, tables and outputs of all partitions, step by step, each recomputed
/// from the keys. What needs keys, labels or a function that is not known is listed as not checked;
/// the rest is compared with itself.
/// \param keys null if they are not available
/// \pre the records are possible ones (operation_bounds.hpp)
/// \return what goes beyond the limits
[[nodiscard]] Expected<void> verify_partitions(RecordedRun const& run,
                                               InputKeys const* keys,
                                               VerifyLimits const& limits,
                                               Report& report);

/// Every round and the distances, on the graph that the header names.
/// \pre the records are possible ones
[[nodiscard]] Expected<void>
verify_relaxations(RecordedRun const& run, VerifyLimits const& limits, Report& report);

/// Memory, divisions, ranges, runs and places of an external sort: against each other, and against
/// those that the model plans for the records of the header's file, where it is available.
[[nodiscard]] Expected<void>
verify_external_sort(RecordedRun const& run, VerifyLimits const& limits, Report& report);

} // namespace keyswap::model::verify
