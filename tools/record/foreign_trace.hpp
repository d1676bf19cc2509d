#pragma once

/// \file Runs of a sort that somebody else wrote, from a trace.

#include "tools/record/shrunk_failure.hpp"
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

/// The properties of what is recorded of a failure besides: the command that makes it again, one of
/// its wrong places, the columns of their picture, the fewest keys that were found to fail.
inline constexpr std::string_view repeat_property = "repeat";
inline constexpr std::string_view wrong_place_property = "wrong place";
inline constexpr std::string_view columns_property = "columns";
inline constexpr std::string_view smallest_property = "smallest";

/// Runs on keys of one distribution and number.
struct ForeignCase {
    model::KeyRequest keys;
    ForeignReport report;
};

/// All cases as one: counts, interruption; the first failure of the case that is shown. Times and
/// the interval are those of a single case: different inputs have no rate in common.
[[nodiscard]] ForeignReport sum_of(std::vector<ForeignCase> const& cases);

/// The failing case of the fewest keys, or the first case. \pre there is one
[[nodiscard]] ForeignCase const& shown_case(std::vector<ForeignCase> const& cases);

/// "3 of 800 runs failed; the failure rate is, with 95 % confidence, between 0.08 % and 1 %", or
/// without the interval if there is none
[[nodiscard]] std::string rate_text(ForeignReport const& report);

/// "1.21 ms at least, 1.30 ms the median, 4.05 ms at most (76.9 Mkeys/s at the median)"
[[nodiscard]] std::string times_text(RunTimes const& times, std::uint64_t key_count);

/// "without any one of them no run failed", or that the search was not finished
[[nodiscard]] std::string shrinking_text(ShrunkFailure const& shrunk);

/// "3 of 20 runs"
[[nodiscard]] std::string failures_text(SameKeysRuns const& runs);

/// "index 7 has 3, and 5 belongs there"
[[nodiscard]] std::string place_text(WrongPlace const& place);

/// "uniform, 1,000,000 keys"
[[nodiscard]] std::string case_text(model::KeyRequest const& keys);

/// The runs as a trace's header names them: the case that is shown, with the seed of its first
/// failure, or of its first run.
[[nodiscard]] RunHeader header_of(ForeignSubject const& subject,
                                  std::vector<ForeignCase> const& cases);

/// What is recorded of a failure besides its verdicts.
struct FailureRecord {
    std::string repeat;                  ///< command that makes it again
    std::optional<ShrunkFailure> shrunk; ///< its smallest keys, if they were looked for
    std::string shrunk_repeat;           ///< command that makes that one
};

/// A verdict on all runs, whose detail is rate_text(); one on each case where there are several;
/// the times of the case that is shown; then those on the first run that failed, or on what holds
/// for every run; then what else is recorded of it, as verdicts that hold.
[[nodiscard]] std::vector<VerdictRecord> recorded_verdicts(std::vector<ForeignCase> const& cases,
                                                           FailureRecord const& failure = {});

} // namespace keyswap::conformance
