#pragma once

#include "simulator/engine/task_graph.hpp"
#include "simulator/engine/timeline.hpp"

#include <ostream>
#include <string_view>

namespace keyswap::simulator {

/// What tasks without a phase are called: the host thread's, which is busy with launches.
inline constexpr std::string_view launching_name = "launching kernels";

/// Writes a timeline in the Chrome trace event format: a process a GPU (and one for the host), a
/// track a stream, an arrow from each copy between GPUs to what its destination does next (or,
/// where the destination fetches, to the copy from what its source did before), a counter a channel
/// where samples were recorded. Times are microseconds. Arrows begin and end in slices.
void write_chrome_trace(std::ostream& out, TaskGraph const& graph, Timeline const& timeline);

} // namespace keyswap::simulator
