#pragma once

/// \file Recordings of the reference model, as real runs would record themselves, and what their
/// records do when they are carried out.

#include "model/verify/recorded_run.hpp"

#include <cstdint>
#include <optional>
#include <ostream>
#include <rapidcheck.h>
#include <string>
#include <vector>

namespace keyswap::proptests {

/// A header of a small random run: distribution, seed, type, direction, values and parameters.
[[nodiscard]] rc::Gen<RunHeader> any_run_header(std::uint64_t key_count_max);

/// The same of a sort that merges: P2P or HET merge sort, or one of a single processor, which also
/// takes keys of 128 bits.
[[nodiscard]] rc::Gen<RunHeader> any_merge_header(std::uint64_t key_count_max);

/// Plans and replays the run that a header names, and records everything: decisions, digests of
/// all stages, a time and verdicts. nullopt if the header names no run.
[[nodiscard]] std::optional<model::verify::RecordedRun> record_reference(RunHeader const& header);

/// The run as format version 1 records it: without stages, merges and layout.
[[nodiscard]] model::verify::RecordedRun as_version_1(model::verify::RecordedRun run);

/// Carries the records of a run out on its keys, in memory that holds no keys before. It knows
/// nothing of plans.
/// \returns what is wrong with the output; nullopt if it is the sorted input
[[nodiscard]] std::optional<std::string> carry_out(model::verify::RecordedRun const& run);

} // namespace keyswap::proptests

namespace keyswap {

/// How RapidCheck prints a header: as the line of a trace.
void showValue(RunHeader const& header, std::ostream& out);

} // namespace keyswap
