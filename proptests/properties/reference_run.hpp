#pragma once

/// \file Reference recordings of the model, in the form in which real runs record themselves, and
/// execution of recorded runs.

#include "model/verify/recorded_run.hpp"

#include <cstdint>
#include <optional>
#include <ostream>
#include <rapidcheck.h>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// Header of a small random run: distribution, seed, type, direction, values and parameters.
[[nodiscard]] rc::Gen<RunHeader> any_run_header(std::uint64_t key_count_max);

/// Header of a random merge sort: P2P or HET merge sort, or a single-processor one, which also
/// supports 128-bit keys.
[[nodiscard]] rc::Gen<RunHeader> any_merge_header(std::uint64_t key_count_max);

/// Plans and replays the run named by the header and records everything: decisions, digests of all
/// stages, a time and verdicts; nullopt if the header names no run.
[[nodiscard]] std::optional<model::verify::RecordedRun> record_reference(RunHeader const& header);

/// Converts a run to format version 1: without stages, merges and layout.
[[nodiscard]] model::verify::RecordedRun as_version_1(model::verify::RecordedRun run);

/// Executes the records of a run on its keys, in initially empty memory, without knowledge of
/// plans.
/// \returns the problem with the output; nullopt if it is the sorted input
[[nodiscard]] std::optional<std::string> carry_out(model::verify::RecordedRun const& run);

} // namespace keyswap::proptests

namespace keyswap {

/// Prints a header as a line of a trace; called by RapidCheck.
void showValue(RunHeader const& header, std::ostream& out);

} // namespace keyswap
