#pragma once

/// \file Compares a recorded run with the reference model, record by record.

#include "model/verify/expected/input_keys.hpp"
#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <memory>
#include <span>
#include <vector>

namespace keyswap::model::verify {

/// Verifies a run on the keys that its header names. If they are not available, compares the
/// records with each other and notes this in the report.
/// \return an error for a header that cannot be planned, keys that contradict it, or work beyond
/// the limits
[[nodiscard]] Expected<Report> verify_run(RecordedRun const& run, VerifyLimits const& limits = {});

/// Verifies a run on the given keys. \pre keys.key_count() == run.header.key_count
[[nodiscard]] Expected<Report> verify_run_of(RecordedRun const& run, InputKeys& keys);

/// Compares recordings of one configuration and input with the first of them; adds each difference
/// to the report of the later one. Skips runs of other configurations. Ignores phase times and
/// everything else that is not a decision.
/// \param reports [runs.size()] in the same order as `runs`
void verify_determinism(std::span<RecordedRun const> runs, std::span<Report> reports);

} // namespace keyswap::model::verify
