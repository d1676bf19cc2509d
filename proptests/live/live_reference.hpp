#pragma once

#include "proptests/live/live_case.hpp"

namespace keyswap::proptests {

/// Runs the reference model instead of a real sort or multisplit, for tests on machines without a
/// GPU.
[[nodiscard]] LiveOutcome run_by_reference(LiveCase const& live_case);

/// True if the model has a plan for the case. Sample sort has none if buckets still span borders
/// after the maximum number of passes.
[[nodiscard]] bool can_be_planned(LiveCase const& live_case);

} // namespace keyswap::proptests
