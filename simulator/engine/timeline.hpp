#pragma once

/// \file The result of a simulation.

#include "simulator/engine/task_graph.hpp"
#include "simulator/platform/sim_time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// When a task held its stream. queued <= launched <= began <= ended.
struct TaskTimes {
    SimTime queued;   ///< stream and dependencies allowed it
    SimTime launched; ///< it had its engine; the launch cost begins
    SimTime began;    ///< first byte moves, or kernel runs
    SimTime ended;
    friend bool operator==(TaskTimes const&, TaskTimes const&) = default;
};

struct TimeSpan {
    SimTime begin;
    SimTime end;
    friend bool operator==(TimeSpan const&, TimeSpan const&) = default;
};

/// From `at` until the next sample of the same channel, this rate flows.
struct ChannelSample {
    SimTime at;
    double rate_Bps = 0.0;
    friend bool operator==(ChannelSample const&, ChannelSample const&) = default;
};

/// What a run notes of its channels.
enum class ChannelRecording {
    none,   ///< Timeline::channels stays empty
    totals, ///< peak, mean, busy and saturated times
    samples ///< also every change of every channel's rate, for traces and drawings
};

/// Use of one directed capacity: a link's direction, its shared total, a memory's port, HBM.
struct ChannelUse {
    std::string name;          ///< "xbus: cpu0 > cpu1", "hbm of gpu3"
    double capacity_Bps = 0.0; ///< effective
    double size_bytes = 0.0;   ///< moved over the whole run
    double peak_Bps = 0.0;
    double mean_Bps = 0.0; ///< over the makespan
    SimTime busy;          ///< time with any flow
    SimTime saturated;     ///< time at capacity
    std::vector<TimeSpan>
        saturated_spans;                ///< ascending, disjoint; empty unless samples are recorded
    std::vector<ChannelSample> samples; ///< ascending; empty unless samples are recorded
    friend bool operator==(ChannelUse const&, ChannelUse const&) = default;
};

/// From the first launch to the last end of a phase's tasks of one pass.
struct PhaseSpan {
    Phase phase = Phase::host_to_device;
    int pass = 0;
    TimeSpan span;
    friend bool operator==(PhaseSpan const&, PhaseSpan const&) = default;
};

/// A simulated run. Equal inputs give equal bytes.
struct Timeline {
    SimTime makespan;
    std::vector<TaskTimes> tasks;     ///< [task count of the graph]
    std::vector<PhaseSpan> phases;    ///< each phase and pass once, as the graph first has them
    TimeSpan launching;               ///< the same of tasks of no phase that take time; or {0, 0}
    std::vector<ChannelUse> channels; ///< in the platform's order
    std::uint64_t solves = 0;         ///< how often rates were computed
    friend bool operator==(Timeline const&, Timeline const&) = default;
};

/// Fills in phases and launching. \pre timeline.tasks has the graph's tasks
void add_phases(TaskGraph const& graph, Timeline& timeline);

/// From the first launch to the last end of a phase (and pass, where not 0); {0, 0} without tasks.
[[nodiscard]] TimeSpan phase_span(Timeline const& timeline, Phase phase, int pass = 0);

} // namespace keyswap::simulator
