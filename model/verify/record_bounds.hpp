#pragma once

/// \file What the records of a run can be, by its header alone. Everything that reads a trace asks
/// here first, so that nothing behind it meets a GPU, a bucket or an offset that does not exist.

#include "model/plan/sort_config.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <vector>

namespace keyswap::model::verify {

/// Records that lie outside of the run that the header describes, as differences: a GPU that the
/// run does not have, a bucket that no key can fall into, keys beyond the end of the output or of a
/// GPU's memory. Phase times and verdicts are not decisions, and have their own check.
/// \param config of the run's header, validated
[[nodiscard]] std::vector<Difference> find_impossible_records(RecordedRun const& run,
                                                              model::SortConfig const& config);

/// Whether a time belongs to a GPU of the run, does not end before it begins, and is less than a
/// century long. A time is not a decision: being wrong, it says nothing about the output.
[[nodiscard]] bool is_believable(PhaseTimeRecord const& time, std::uint32_t gpu_count);

/// The run without those records and without times that cannot be believed, for what reads the
/// rest.
[[nodiscard]] RecordedRun without_impossible_records(RecordedRun const& run,
                                                     model::SortConfig const& config);

} // namespace keyswap::model::verify
