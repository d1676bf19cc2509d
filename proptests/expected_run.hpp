#pragma once

/// \file What the reference model decides for the configuration and keys of a recorded run.

#include "model/algorithm.hpp"
#include "model/plan.hpp"
#include "proptests/input_keys.hpp"
#include "proptests/recorded_run.hpp"

#include <optional>
#include <string>

namespace keyswap::conformance {

/// The header's configuration, if it can be planned.
[[nodiscard]] Expected<model::SortConfig> config_of(RunHeader const& header);

/// Plans RMG sort as the recorded run did. A run on one GPU may have made a first pass, which the
/// planner leaves out as there is nothing to place; it is added where the run recorded one.
[[nodiscard]] model::Plan
plan_as_recorded(model::SortConfig const& config, model::KeySource& source, RecordedRun const& run);

/// Plans RMG sort from the histograms that the run recorded, for runs whose keys cannot be had.
/// \returns nothing where they contradict each other or one is missing; `problem` says what
[[nodiscard]] std::optional<model::Plan>
plan_from_histograms(model::SortConfig const& config, RecordedRun const& run, std::string& problem);

} // namespace keyswap::conformance
