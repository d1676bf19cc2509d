#pragma once

/// \file Faults that sorts have had, or could have, planted into recorded runs.

#include "proptests/faults/trace_fault.hpp"

#include <span>

namespace keyswap::proptests {

/// All of them, by the record that they are planted into.
[[nodiscard]] std::span<TraceFault const> trace_faults();

} // namespace keyswap::proptests
