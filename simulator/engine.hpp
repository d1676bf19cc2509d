#pragma once

/// \file Discrete-event execution of a task graph on a platform.

#include "simulator/task_graph.hpp"
#include "simulator/timeline.hpp"
#include "traces/input_error.hpp"

namespace keyswap::simulator {

struct Platform;

/// Options of one run of the engine.
struct EngineOptions {
    /// Completions and starts of flows within this relative part of the current flow's life share
    /// one re-rating; 0 = exact.
    double rerating_tolerance = 0.0;
    /// Keep the rate of every channel over time (for traces and drawings).
    bool record_samples = false;
};

/// Runs the graph. Deterministic; one thread; safe to call from many threads at once.
/// \return an error where the graph names a GPU, node or route that the platform lacks
[[nodiscard]] Expected<Timeline>
run_task_graph(TaskGraph const& graph, Platform const& platform, EngineOptions const& options = {});

} // namespace keyswap::simulator
