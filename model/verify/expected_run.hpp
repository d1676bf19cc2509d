#pragma once

/// \file What the reference model decides for the configuration and keys of a recorded run.

#include "model/sorts/algorithm.hpp"
#include "model/sorts/rmg/plan.hpp"
#include "model/verify/expected_digests.hpp"
#include "model/verify/input_keys.hpp"
#include "model/verify/recorded_run.hpp"

#include <optional>
#include <string>

namespace keyswap::model::verify {

/// The header's configuration, if it can be planned.
[[nodiscard]] Expected<model::SortConfig> config_of(RunHeader const& header);

/// Plans the header's sort as the recorded run did. A run of digits on one GPU may have made a
/// first pass, which the planner leaves out as there is nothing to place; it is added where the run
/// recorded one.
/// \return an error where the model cannot plan it
/// \pre the header's algorithm has a model, and its plans have buckets
[[nodiscard]] Expected<model::Plan>
plan_as_recorded(model::SortConfig const& config, model::KeySource& source, RecordedRun const& run);

/// What a sort decides whatever its keys are, as records: all that a sort of steps does.
/// \return an error where the model has no such sort, or cannot plan it without the keys
[[nodiscard]] Expected<RecordedRun> decisions_without_keys(model::SortConfig const& config,
                                                           RecordedRun const& run);

/// What the model expects of a run's decisions and of the keys in its buckets.
struct PlanAndDigests {
    model::Plan plan;
    ExpectedDigests digests;
};

/// Plan and digests of a run's keys. Making keys anew is what verifying a large run costs, so they
/// are made once where the run's histograms are right: the plan that follows from the histograms is
/// tried first, and the digests' sweep counts every part of its buckets. If all counts agree, so
/// does every histogram of every pass, and the plan is the one of the keys. Otherwise the keys are
/// counted pass by pass, as by any planner.
/// A sample is drawn from the keys in both cases.
[[nodiscard]] Expected<PlanAndDigests>
plan_and_digests(model::SortConfig const& config, InputKeys& keys, RecordedRun const& run);

/// Plans the sort from the histograms, and the bucket functions, that the run recorded, for runs
/// whose keys are not available.
/// \returns nullopt if they contradict each other or one is missing; `problem` says what
[[nodiscard]] std::optional<model::Plan>
plan_from_histograms(model::SortConfig const& config, RecordedRun const& run, std::string& problem);

} // namespace keyswap::model::verify
