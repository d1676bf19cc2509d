#pragma once

/// \file External sort whose ranges are in host memory instead of scratch files, for records that
/// fit twice into host memory but not into the memory of the sorting GPUs.

#include "tools/external/external_run.hpp"

namespace keyswap::tools {

/// True if the records of a job fit twice into memory, in arrays that its engine accepts.
/// \pre the record count is known
[[nodiscard]] bool can_hold_ranges(ExternalJob const& job);

/// Bytes of memory, including the program's own, for which can_hold_ranges() is true.
[[nodiscard]] std::uint64_t memory_to_hold_ranges(ExternalJob const& job);

/// Reads the inputs, partitions the records, then sorts and writes the ranges. Keeps no manifest:
/// an interrupted sort restarts. \pre can_hold_ranges()
[[nodiscard]] Expected<void> sort_ranges_in_memory(ExternalRun& run);

} // namespace keyswap::tools
