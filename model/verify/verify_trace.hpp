#pragma once

/// \file Compares a recorded run with the reference model, record by record.

#include "model/verify/input_keys.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <memory>
#include <span>
#include <vector>

namespace keyswap::model::verify {

/// Verifies a run whose keys the header names. If they are not available, the records are checked
/// against each other, and the report says so.
/// Errors: a header that cannot be planned, keys that contradict it, or more work than the limits
/// allow.
[[nodiscard]] Expected<Report> verify_run(RecordedRun const& run, VerifyLimits const& limits = {});

/// Verifies a run of keys that the caller has. \pre keys.key_count() == run.header.key_count
[[nodiscard]] Expected<Report> verify_run_of(RecordedRun const& run, InputKeys& keys);

/// Compares recordings of one configuration and input with the first of them; each difference is
/// added to the report of the later one. Runs of other configurations are passed over, as are
/// phase times and everything that is not a decision.
/// \param reports [runs.size()] in the order of the runs
void verify_determinism(std::span<RecordedRun const> runs, std::span<Report> reports);

} // namespace keyswap::model::verify
