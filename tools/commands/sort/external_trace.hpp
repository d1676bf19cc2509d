#pragma once

/// \file How a sort on files records itself.

#include "tools/external/external_sort.hpp"
#include "traces/format/trace_writer.hpp"

namespace keyswap::tools {

/// Writes what the sort decided, its times and its verdicts, and completes the trace.
/// \param input the files, as the user named them
[[nodiscard]] Expected<void> write_external_trace(TraceWriter& trace,
                                                  InputRecord const& input,
                                                  ExternalJob const& job,
                                                  ExternalResult const& result);

} // namespace keyswap::tools
