#pragma once

/// \file Writes the trace of a sort on files.

#include "tools/external/external_sort.hpp"
#include "traces/format/trace_writer.hpp"

namespace keyswap::tools {

/// Writes the sort's decisions, times and verdicts, and ends the trace.
/// \param input files as the user named them
[[nodiscard]] Expected<void> write_external_trace(TraceWriter& trace,
                                                  InputRecord const& input,
                                                  ExternalJob const& job,
                                                  ExternalResult const& result);

} // namespace keyswap::tools
