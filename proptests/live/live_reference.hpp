#pragma once

#include "proptests/live/live_case.hpp"

namespace keyswap::proptests {

/// The reference model in the place of a real sort: for tests on machines without a GPU.
[[nodiscard]] LiveOutcome sort_by_reference(LiveCase const& live_case);

} // namespace keyswap::proptests
