#pragma once

/// \file Records runs of a third-party sort in a trace.

#include "tools/record/shrunk_failure.hpp"
#include "traces/records/records.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace keyswap::conformance {

/// Algorithm in the header of such a trace.
inline constexpr std::string_view third_party_algorithm = "foreign";
/// Property of the first verdict, over all runs; later verdicts describe a single run.
inline constexpr std::string_view runs_property = "runs";
/// Property of the verdicts over the runs of one case, if there are several cases.
inline constexpr std::string_view case_property = "case";
/// Property of the verdict that reports the duration of the runs.
inline constexpr std::string_view times_property = "times";

/// Properties of further records of a failure: the command that reproduces it, one of its wrong
/// places, the columns of their plot, the smallest failing keys found.
inline constexpr std::string_view repeat_property = "repeat";
inline constexpr std::string_view wrong_place_property = "wrong place";
inline constexpr std::string_view columns_property = "columns";
inline constexpr std::string_view smallest_property = "smallest";

/// Runs on keys of one distribution and one key count.
struct ThirdPartyCase {
    model::KeyRequest keys;
    ThirdPartyReport report;
};

/// Sums counts and interruption over all cases, and takes the first failure from shown_case().
/// Times and interval are empty if there are several cases, as inputs have different rates.
[[nodiscard]] ThirdPartyReport sum_of(std::vector<ThirdPartyCase> const& cases);

/// Failing case with the fewest keys, else the first case. \pre cases is not empty
[[nodiscard]] ThirdPartyCase const& shown_case(std::vector<ThirdPartyCase> const& cases);

/// "3 of 800 runs failed; the failure rate is, with 95 % confidence, between 0.08 % and 1 %",
/// without the interval if there is none
[[nodiscard]] std::string rate_text(ThirdPartyReport const& report);

/// "1.21 ms at least, 1.30 ms the median, 4.05 ms at most (76.9 Mkeys/s at the median)"
[[nodiscard]] std::string times_text(RunTimes const& times, std::uint64_t key_count);

/// "without any one of them no run failed", or a note that the search is incomplete
[[nodiscard]] std::string shrinking_text(ShrunkFailure const& shrunk);

/// "3 of 20 runs"
[[nodiscard]] std::string failures_text(RunCounts const& runs);

/// "index 7 has 3, and 5 belongs there"
[[nodiscard]] std::string place_text(WrongPlace const& place);

/// "uniform, 1,000,000 keys"
[[nodiscard]] std::string case_text(model::KeyRequest const& keys);

/// Header of a trace of the runs: the shown case, with the seed of its first failure, else of its
/// first run.
[[nodiscard]] RunHeader header_of(ThirdPartySort const& subject,
                                  std::vector<ThirdPartyCase> const& cases);

/// Records of a failure in addition to its verdicts.
struct FailureRecord {
    std::string repeat;                  ///< command that reproduces it
    std::optional<ShrunkFailure> shrunk; ///< its smallest keys, if searched for
    std::string shrunk_repeat;           ///< command that reproduces the shrunk failure
};

/// Verdicts in this order: all runs, with rate_text() as detail; each case, if there are several;
/// times of the shown case; the first failed run, or the properties that hold in every run; further
/// records of the failure, as verdicts that hold.
[[nodiscard]] std::vector<VerdictRecord> recorded_verdicts(std::vector<ThirdPartyCase> const& cases,
                                                           FailureRecord const& failure = {});

} // namespace keyswap::conformance
