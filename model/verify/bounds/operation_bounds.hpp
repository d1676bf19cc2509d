#pragma once

/// \file Bounds on the records of partitions, histograms and path searches, from the run's header
/// and functions alone. record_bounds.hpp does the same for sorts by digits.

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <vector>

namespace keyswap::model::verify {

/// Maximum number of steps: 128 key bits, and each digit has at least one.
inline constexpr int step_max = 128;

/// Records that no run with this header can produce, as differences: records of another operation,
/// invalid or missing functions, lists whose length is not the number of buckets, parts beyond the
/// end of the keys.
[[nodiscard]] std::vector<Difference> find_impossible_operation_records(RecordedRun const& run);

/// The run without these records.
[[nodiscard]] RecordedRun without_impossible_operation_records(RecordedRun const& run);

} // namespace keyswap::model::verify
