#pragma once

/// \file Runs of a sort that somebody else wrote, as a trace tells of them.

#include "tools/record/foreign_check.hpp"
#include "traces/records/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace keyswap::conformance {

/// The algorithm in the header of such a trace.
inline constexpr std::string_view foreign_algorithm = "foreign";
/// The property of the first verdict, which is on all runs; those that follow are on one run.
inline constexpr std::string_view runs_property = "runs";

/// "3 of 800 runs failed; the failure rate is, with 95 % confidence, between 0.08 % and 1 %"
[[nodiscard]] std::string rate_text(ForeignReport const& report);

/// The runs as a trace's header names them, with the seed of the first that failed, or of the
/// first.
[[nodiscard]] RunHeader header_of(ForeignRuns const& runs, ForeignReport const& report);

/// A verdict on all runs, whose detail is rate_text(), then those on the first that failed, or on
/// what holds for every run.
[[nodiscard]] std::vector<VerdictRecord> recorded_verdicts(ForeignReport const& report);

} // namespace keyswap::conformance
