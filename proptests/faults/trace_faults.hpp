#pragma once

/// \file Faults that sorts have had, or could have, to be planted in recorded runs.

#include "proptests/faults/trace_fault.hpp"

#include <span>

namespace keyswap::proptests {

/// All faults, grouped by the record in which they are planted.
[[nodiscard]] std::span<TraceFault const> trace_faults();

} // namespace keyswap::proptests
