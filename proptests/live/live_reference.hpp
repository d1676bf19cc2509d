#pragma once

#include "proptests/live/live_case.hpp"

namespace keyswap::proptests {

/// The reference model in the place of a real sort or multisplit: for tests on machines without a
/// GPU.
[[nodiscard]] LiveOutcome run_by_reference(LiveCase const& live_case);

/// Whether the model has a plan for the case; sample sort has none where buckets span borders after
/// as many passes as a prefix has room for.
[[nodiscard]] bool can_be_planned(LiveCase const& live_case);

} // namespace keyswap::proptests
