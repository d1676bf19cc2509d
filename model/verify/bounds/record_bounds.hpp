#pragma once

/// \file Bounds on the records of a run, from its header alone. Code that reads a trace checks
/// these first, so that no later code meets a GPU, bucket or offset that does not exist.

#include "model/plan/sort_config.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <vector>

namespace keyswap::model::verify {

/// Records outside the bounds of the header, as differences: GPUs that the run does not have,
/// buckets that no key can belong to, keys beyond the end of the output or of a GPU's memory.
/// Excludes phase times and verdicts, which have their own check.
/// \param config config_of() the run's header
[[nodiscard]] std::vector<Difference> find_impossible_records(RecordedRun const& run,
                                                              SortConfig const& config);

/// The run without impossible records and unbelievable times, as input for all other
/// checks.
[[nodiscard]] RecordedRun without_impossible_records(RecordedRun const& run,
                                                     SortConfig const& config);

} // namespace keyswap::model::verify
