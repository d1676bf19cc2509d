#pragma once

/// \file What the records of a partition, a histogram or a search for paths can be, by the run's
/// header and its functions alone. The same as record_bounds.hpp is for sorts by digits.

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <vector>

namespace keyswap::model::verify {

/// Steps that a run may have: a digit has a bit or more.
inline constexpr int step_max = 128;

/// Records that no run of the header can have made, as differences: kinds of another operation, a
/// function that makes no sense or is not there, lists of another length than it has buckets, parts
/// beyond the keys.
[[nodiscard]] std::vector<Difference> find_impossible_operation_records(RecordedRun const& run);

/// The run without those records.
[[nodiscard]] RecordedRun without_impossible_operation_records(RecordedRun const& run);

} // namespace keyswap::model::verify
