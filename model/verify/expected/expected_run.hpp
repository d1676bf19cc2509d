#pragma once

/// \file Decisions of the reference model for the configuration and keys of a recorded run.

#include "model/partition/bucket_space.hpp"
#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "model/verify/expected/expected_digests.hpp"
#include "model/verify/expected/input_keys.hpp"
#include "model/verify/recorded_run.hpp"

#include <optional>
#include <string>
#include <utility>

namespace keyswap::model::verify {

/// The header's configuration; an error if it cannot be planned.
[[nodiscard]] Expected<SortConfig> config_of(RunHeader const& header);
/// Likewise; the error names the run.
[[nodiscard]] Expected<SortConfig> config_of(RecordedRun const& run);

/// Maps the prefixes of a run's buckets to images: prefixes of digits, or as defined by the run's
/// bucket functions. Ignores functions of unknown buckets.
/// \param config config_of() the run's header
[[nodiscard]] BucketSpace bucket_space_of(SortConfig const& config, RecordedRun const& run);

/// Plans the header's sort as the recorded run did. On one GPU the planner omits the first
/// digit pass, since there is nothing to place; the plan includes it if the run recorded
/// one.
/// \return an error if the model cannot plan the sort
/// \pre the model has the header's algorithm, and its plans have buckets
[[nodiscard]] Expected<Plan>
plan_as_recorded(SortConfig const& config, KeySource& source, RecordedRun const& run);

/// All decisions that do not depend on the keys, as records; for a sort by steps these are
/// complete. \return an error if the model lacks the sort or needs the keys to plan it
[[nodiscard]] Expected<RecordedRun> decisions_without_keys(SortConfig const& config,
                                                           RecordedRun const& run);

/// Computes the plan of a run's keys and the digests of its buckets. Regenerating the keys
/// dominates the cost of verifying a large run, so it is done only once if the run's histograms are
/// right: a plan is made from the histograms, and the sweep for the digests counts every part of
/// its buckets. If all counts agree, so do all histograms of all passes, and the plan is right.
/// Otherwise the keys are counted pass by pass, as by any planner. In both cases samples are drawn
/// from the keys.
[[nodiscard]] Expected<std::pair<Plan, ExpectedDigests>>
plan_and_digests(SortConfig const& config, InputKeys& keys, RecordedRun const& run);

/// Plans the sort from the histograms and bucket functions that the run recorded, for runs whose
/// keys are not available.
/// \returns nullopt if they are inconsistent or incomplete; `problem` then describes why
[[nodiscard]] std::optional<Plan>
plan_from_histograms(SortConfig const& config, RecordedRun const& run, std::string& problem);

} // namespace keyswap::model::verify
