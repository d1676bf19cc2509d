#pragma once

/// \file Checks of every run, whatever it computes. Each adds its findings to a report.

#include "model/verify/recorded_run.hpp"
#include "model/verify/verify_report.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::model::verify {

/// Adds a difference: the report checked nothing that could have been wrong.
void add_nothing_checked(Report& report);

/// Adds a difference: all records contradict the header's key count, so nothing else was checked.
/// \param records their type as a noun, such as "counts"
/// \param recorded the number of keys that they imply
void add_key_count_mismatch(RecordedRun const& run,
                            std::string const& records,
                            std::uint64_t recorded,
                            Report& report);

/// Compares the digest of all keys with the header's, if it has one.
void verify_content(RecordedRun const& run, MultisetDigest const& expected, Report& report);

/// Checks that times refer to GPUs of the run and do not end before they begin.
void verify_phase_times(RecordedRun const& run, Report& report);

/// Lists header labels that contradict each other or the catalogue; no record can confirm them.
void list_unchecked_labels(RecordedRun const& run, Report& report);

/// Adds the run's own verdicts to the report.
void verify_run_verdicts(RecordedRun const& run, Report& report);

/// The check that covers digests of a stage.
[[nodiscard]] Check check_of(DigestStage stage);

/// True if the counts sum to `total`; immune to overflow.
[[nodiscard]] bool add_up(std::vector<std::uint64_t> const& counts, std::uint64_t total);

} // namespace keyswap::model::verify
