#pragma once

/// \file The input of the engine: what is done, where and in which order. A schedule turns the plan
/// of a sort into a TaskGraph; the engine turns graph and platform into a Timeline.

#include "simulator/platform/memory_place.hpp"
#include "simulator/platform/sim_time.hpp"
#include "traces/records/phase.hpp"

#include <compare>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

namespace keyswap::simulator {

struct TaskId {
    std::uint32_t value = 0; ///< index into TaskGraph::tasks
    friend auto operator<=>(TaskId const&, TaskId const&) = default;
};

struct StreamId {
    std::uint32_t value = 0; ///< index into TaskGraph::streams
    friend auto operator<=>(StreamId const&, StreamId const&) = default;
};

/// Takes no time and no resource; ends once its stream and dependencies allow it.
struct BarrierWork {};

/// Moves bytes along the platform's route. Occupies a copy engine: from host to device one of the
/// destination, from device to host one of the source, between GPUs a peer engine of the stream's
/// GPU (of the source if the stream has none), within a GPU a peer engine of that GPU. A copy
/// between host memories needs none.
struct CopyWork {
    MemoryPlace source;
    MemoryPlace destination;
    std::uint64_t size_bytes = 0;
    CopyExtent extent = CopyExtent::whole;
    /// > 1: a train of this many consecutive copies, simulated as one flow that, running alone,
    /// takes the time of all launches, latencies and bytes. On shared links it gets its fair share
    /// all the time, whereas separate copies would pause for each launch.
    std::uint32_t pieces = 1;
};

/// A kernel. Alone it takes `duration` and moves `hbm_bytes` meanwhile; if copies or other kernels
/// compete for the HBM, it slows down to its max-min fair share.
struct KernelWork {
    std::uint32_t gpu = 0;
    SimTime duration;
    std::uint64_t hbm_bytes = 0;             ///< read + written
    std::uint32_t occupancy_ppm = 1'000'000; ///< share of the GPU; concurrent ones sum to <= 1e6
};

/// Work of a CPU on its NUMA node, such as a multiway merge. Alone it takes `duration` and moves
/// its bytes through the node's memory meanwhile. Claims occupancy_ppm of the cores.
struct CpuWork {
    std::uint32_t numa_node = 0;
    SimTime duration;
    std::uint64_t memory_read_bytes = 0;
    std::uint64_t memory_write_bytes = 0;
    std::uint32_t occupancy_ppm = 0; ///< share of the node's cores; 0 = claims none
};

using Work = std::variant<BarrierWork, CopyWork, KernelWork, CpuWork>;

/// A sequence of tasks that run one after another, in the order in which they were added.
struct Stream {
    std::string name;
    std::optional<std::uint32_t> gpu; ///< owner; nullopt: a host thread
};

struct Task {
    Work work;
    std::optional<StreamId> stream; ///< nullopt: ordered by dependencies only
    /// Set-up time between the grant of the engine and the first byte or instruction; it occupies
    /// the stream and the engine, but no links and no HBM.
    SimTime launch;
    /// Ceiling of this copy in bytes per second, besides the platform's; 0 = none.
    double rate_max_Bps = 0.0;
    /// Slowdown while GPUs run at their low clocks, >= 1. A kernel that begins before
    /// TaskGraph::warm_at takes this many times as long; until then a copy's ceiling is its lone
    /// rate divided by this factor.
    double cold_slowdown = 1.0;
    std::optional<Phase> phase;           ///< nullopt for barriers
    int pass = 0;                         ///< pass of the sort; 0 if the phase has no passes
    std::uint32_t dependencies_begin = 0; ///< set by TaskGraph::add()
    std::uint32_t dependencies_end = 0;
};

/// Tasks and their order. Acyclic by construction: tasks depend only on earlier tasks.
struct TaskGraph {
    std::vector<Stream> streams;
    std::vector<Task> tasks;
    std::vector<TaskId> dependencies; ///< concatenated lists of all tasks
    SimTime warm_at;                  ///< time at which GPUs that work since 0 reach full clocks

    [[nodiscard]] StreamId add_stream(std::string name, std::optional<std::uint32_t> gpu);

    /// Appends a task. \pre its dependencies and stream were added before
    TaskId add(Task task, std::span<TaskId const> task_dependencies = {});

    [[nodiscard]] std::span<TaskId const> dependencies_of(TaskId task) const;

    /// True if any task stands for several copies (CopyWork::pieces > 1).
    [[nodiscard]] bool has_trains() const;
};

} // namespace keyswap::simulator
