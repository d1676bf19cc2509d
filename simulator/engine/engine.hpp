#pragma once

/// \file Discrete-event execution of a task graph on a platform.
///
/// A task waits for the previous task of its stream and its dependencies, then for its engine (a
/// copy engine, SMs, cores; first come, first served), then for its launch cost; then it works. A
/// copy waits for the latency of its route and moves its bytes as a flow; a kernel is a flow over
/// its GPU's HBM with a ceiling at which it takes its duration. Channel sharing is max-min fair.
///
/// Single-threaded, integer picoseconds. At equal times, ends of flows come first (ascending by
/// task), then events in the order of scheduling. Equal inputs give byte-identical results.

#include "simulator/engine/task_graph.hpp"
#include "simulator/engine/timeline.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/topology.hpp"
#include "traces/errors/input_error.hpp"

namespace keyswap::simulator {

/// Options of one simulated run.
struct EngineOptions {
    /// A flow that starts at S and ends at T may hold its share until T + rate_tolerance * (T - S),
    /// so that several ends share one solution; 0 = exact.
    double rate_tolerance = 0.0;
    ChannelRecording recording = ChannelRecording::totals;
};

/// Simulates the graph. Thread-safe.
/// \param topology made from the same platform
/// \return an error if a GPU, node or route is missing, or the run exceeds sim_time_limit
[[nodiscard]] Expected<Timeline> run_task_graph(TaskGraph const& graph,
                                                Platform const& platform,
                                                Topology const& topology,
                                                EngineOptions const& options = {});

/// Likewise; builds the topology itself. For single runs.
[[nodiscard]] Expected<Timeline>
run_task_graph(TaskGraph const& graph, Platform const& platform, EngineOptions const& options = {});

} // namespace keyswap::simulator
