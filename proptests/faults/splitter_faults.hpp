#pragma once

#include "proptests/faults/trace_faults.hpp"

#include <vector>

namespace keyswap::proptests {

/// Faults in the bucket functions of a sort by splitters and in the parameters that determine them.
/// Apply only to runs of sample sort.
[[nodiscard]] std::vector<TraceFault> splitter_faults();

} // namespace keyswap::proptests
