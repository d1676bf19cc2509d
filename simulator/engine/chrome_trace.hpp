#pragma once

#include "simulator/engine/task_graph.hpp"
#include "simulator/engine/timeline.hpp"

#include <ostream>
#include <string_view>

namespace keyswap::simulator {

/// Name of tasks without a phase: the host thread is busy launching kernels.
inline constexpr std::string_view launching_name = "launching kernels";

/// Writes a timeline in the Chrome trace event format: a process per GPU (and one for the host), a
/// track per stream, an arrow from each copy between GPUs to the destination's next work (or, if
/// the destination fetches, from the source's previous work to the copy), and a counter per channel
/// if samples were recorded. Times are in microseconds. Arrows start and end within slices.
void write_chrome_trace(std::ostream& out, TaskGraph const& graph, Timeline const& timeline);

} // namespace keyswap::simulator
