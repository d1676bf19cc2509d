#pragma once

#include "simulator/engine/task_graph.hpp"
#include "simulator/engine/timeline.hpp"

#include <ostream>

namespace keyswap::simulator {

/// Writes a timeline in the Chrome trace event format: a process a GPU (and one for the host), a
/// track a stream, an arrow from each copy's source to its destination, a counter a channel where
/// samples were recorded. Times are microseconds.
void write_chrome_trace(std::ostream& out, TaskGraph const& graph, Timeline const& timeline);

} // namespace keyswap::simulator
