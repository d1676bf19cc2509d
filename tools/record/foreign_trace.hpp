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
/// The property of a verdict on the runs of one case, where there are several.
inline constexpr std::string_view case_property = "case";
/// The property of a verdict that says how long the runs took.
inline constexpr std::string_view times_property = "times";

/// Runs on keys of one distribution and number.
struct ForeignCase {
    model::KeyRequest keys;
    ForeignReport report;
};

/// All cases as one: counts, interval, interruption; the first failure of the first case that has
/// one. Times are there where there is one case.
[[nodiscard]] ForeignReport sum_of(std::vector<ForeignCase> const& cases);

/// The case that failed first, or the first one. \pre there is one
[[nodiscard]] ForeignCase const& shown_case(std::vector<ForeignCase> const& cases);

/// "3 of 800 runs failed; the failure rate is, with 95 % confidence, between 0.08 % and 1 %"
[[nodiscard]] std::string rate_text(ForeignReport const& report);

/// "1.21 ms at least, 1.30 ms the median, 4.05 ms at most (76.9 Mkeys/s at the median)"
[[nodiscard]] std::string times_text(RunTimes const& times, std::uint64_t key_count);

/// "uniform, 1,000,000 keys"
[[nodiscard]] std::string case_text(model::KeyRequest const& keys);

/// The runs as a trace's header names them: the case that is shown, with the seed of its first
/// failure, or of its first run.
[[nodiscard]] RunHeader header_of(ForeignSubject const& subject,
                                  std::vector<ForeignCase> const& cases);

/// A verdict on all runs, whose detail is rate_text(); one on each case where there are several;
/// the times of the case that is shown; then those on the first run that failed, or on what holds
/// for every run.
[[nodiscard]] std::vector<VerdictRecord> recorded_verdicts(std::vector<ForeignCase> const& cases);

} // namespace keyswap::conformance
