#pragma once

/// \file Discrete-event execution of a task graph on a platform.
///
/// A task waits for its stream's previous task and its dependencies; then for its engine (a copy
/// engine, SMs, cores), first come first served; then its launch cost passes; then it works. A copy
/// waits for the route's latency and moves its bytes as a flow; a kernel is a flow over its GPU's
/// HBM that alone would last its duration. Flows share channels by max-min fairness.
///
/// One thread, integer picoseconds. At one time, ends of flows come first (ascending by task),
/// then events in the order in which they were scheduled. Equal inputs give equal bytes.

#include "simulator/engine/task_graph.hpp"
#include "simulator/engine/timeline.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/platform/topology.hpp"
#include "traces/errors/input_error.hpp"

namespace keyswap::simulator {

/// Options of one run of the engine.
struct EngineOptions {
    /// A flow that ends at T having started at S may leave its share unused until
    /// T + rate_tolerance * (T - S), so that more ends share one solution; 0 = exact.
    double rate_tolerance = 0.0;
    ChannelRecording recording = ChannelRecording::totals;
};

/// Runs the graph. Safe to call from many threads at once.
/// \param topology of the same platform
/// \return an error where the graph names a GPU, node or route that the platform lacks
[[nodiscard]] Expected<Timeline> run_task_graph(TaskGraph const& graph,
                                                Platform const& platform,
                                                Topology const& topology,
                                                EngineOptions const& options = {});

/// The same, for a single run.
[[nodiscard]] Expected<Timeline>
run_task_graph(TaskGraph const& graph, Platform const& platform, EngineOptions const& options = {});

} // namespace keyswap::simulator
