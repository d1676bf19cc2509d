#pragma once

/// \file An external sort whose ranges are in host memory and not in scratch files: all records fit
/// twice, but not into the memory of the GPUs that sort.

#include "tools/external/external_run.hpp"

namespace keyswap::tools {

/// Whether all records of a job fit memory, and as many again, in the arrays that its engine takes.
/// \pre the number of its records is known
[[nodiscard]] bool can_hold_ranges(ExternalJob const& job);

/// Memory that suffices for it.
[[nodiscard]] std::uint64_t memory_to_hold_ranges(ExternalJob const& job);

/// Reads the inputs, partitions the records, and sorts and writes the ranges. A sort that was
/// interrupted begins anew. \pre can_hold_ranges()
[[nodiscard]] Expected<void> sort_ranges_in_memory(ExternalRun& run);

} // namespace keyswap::tools
