#pragma once

/// \file Result of a simulated run.

#include "simulator/engine/task_graph.hpp"
#include "simulator/platform/sim_time.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// Times of a task; queued <= launched <= began <= ended.
struct TaskTimes {
    SimTime queued;   ///< stream and dependencies allow it; it waits for its engine
    SimTime launched; ///< engine granted; the launch cost begins
    SimTime began;    ///< first byte moves, or the kernel runs
    SimTime ended;
    friend bool operator==(TaskTimes const&, TaskTimes const&) = default;
};

struct TimeSpan {
    SimTime begin;
    SimTime end;
    friend bool operator==(TimeSpan const&, TimeSpan const&) = default;
};

/// A rate that holds from `at` until the next sample of the same channel.
struct ChannelSample {
    SimTime at;
    double rate_Bps = 0.0;
    friend bool operator==(ChannelSample const&, ChannelSample const&) = default;
};

/// How much a run records about its channels.
enum class ChannelRecording {
    none,   ///< nothing: Timeline::channels is empty
    totals, ///< peak, mean, busy and saturated times
    samples ///< also every change of every channel's rate, for traces and drawings
};

/// Use of one channel: a link's direction, its shared total, a memory's port, or HBM.
struct ChannelUse {
    std::string name;          ///< "xbus: cpu0 > cpu1", "hbm of gpu3"
    double capacity_Bps = 0.0; ///< bandwidth times efficiency
    double size_bytes = 0.0;   ///< total of the run
    double peak_Bps = 0.0;
    double mean_Bps = 0.0; ///< over the makespan
    SimTime busy;          ///< time with any flow
    SimTime saturated;     ///< time at capacity
    std::vector<TimeSpan>
        saturated_spans;                ///< ascending, disjoint; empty unless samples are recorded
    std::vector<ChannelSample> samples; ///< ascending; empty unless samples are recorded
    friend bool operator==(ChannelUse const&, ChannelUse const&) = default;
};

/// Interval from the first launch to the last end among tasks of one phase and pass.
struct PhaseSpan {
    Phase phase = Phase::host_to_device;
    int pass = 0;
    TimeSpan span;
    friend bool operator==(PhaseSpan const&, PhaseSpan const&) = default;
};

/// Result of a run. Equal inputs give byte-identical timelines.
struct Timeline {
    SimTime makespan;
    std::vector<TaskTimes> tasks;     ///< [task count of the graph]
    std::vector<PhaseSpan> phases;    ///< each phase and pass once, in the graph's order
    TimeSpan launching;               ///< span of timed tasks without a phase; {0, 0} if none
    std::vector<ChannelUse> channels; ///< in the order of Topology::channels()
    std::uint64_t solves = 0;         ///< number of max-min solutions
    friend bool operator==(Timeline const&, Timeline const&) = default;
};

/// Fills in `phases` and `launching`. \pre timeline.tasks is complete
void add_phases(TaskGraph const& graph, Timeline& timeline);

/// Span of a phase (of one pass unless 0), from first launch to last end; {0, 0} without tasks.
[[nodiscard]] TimeSpan phase_span(Timeline const& timeline, Phase phase, int pass = 0);

} // namespace keyswap::simulator
