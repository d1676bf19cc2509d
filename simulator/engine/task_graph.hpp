#pragma once

/// \file The workload of the engine: what is to be done, where and in which order. Any sort is a
/// function from its plan to a TaskGraph; the engine turns graph and platform into a Timeline.

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

/// Takes no time and no resource; done when its stream and its dependencies allow.
struct BarrierWork {};

/// Moves bytes along the platform's route. Takes a copy engine of a GPU: host to device one of the
/// destination's, device to host one of the source's, between GPUs a peer engine of the stream's
/// GPU (of the source where the stream has none), within a GPU a peer engine of that GPU. Between
/// host memories it takes none.
struct CopyWork {
    MemoryPlace source;
    MemoryPlace destination;
    std::uint64_t size_bytes = 0;
    CopyExtent extent = CopyExtent::whole;
    /// More than one: a train of as many copies that follow each other, as one flow, which alone
    /// takes their launches, latencies and bytes. Where links are shared it takes its fair share
    /// all the time, not in between launches only.
    std::uint32_t pieces = 1;
};

/// A kernel. Alone it takes `duration`, in which it moves `hbm_bytes`; where copies or other
/// kernels want the same HBM, it slows down to its max-min fair share.
struct KernelWork {
    std::uint32_t gpu = 0;
    SimTime duration;
    std::uint64_t hbm_bytes = 0;             ///< read + written
    std::uint32_t occupancy_ppm = 1'000'000; ///< share of the GPU; kernels run at once up to 1e6
};

/// Work of a CPU beside its NUMA node, such as a multiway merge. Alone it takes `duration`, in
/// which it moves `memory_bytes` through the node's memory. Takes the CPU as occupancy says.
struct CpuWork {
    std::uint32_t numa_node = 0;
    SimTime duration;
    std::uint64_t memory_read_bytes = 0;
    std::uint64_t memory_write_bytes = 0;
    std::uint32_t occupancy_ppm = 0; ///< share of the node's cores; 0 = needs none to itself
};

using Work = std::variant<BarrierWork, CopyWork, KernelWork, CpuWork>;

/// Tasks of a stream run one after the other in the order in which they were added.
struct Stream {
    std::string name;
    std::optional<std::uint32_t> gpu; ///< whose it is; none = a host thread's
};

struct Task {
    Work work;
    std::optional<StreamId> stream; ///< none: ordered by its dependencies only
    /// Set-up time after stream, dependencies and engine allow and before the first byte moves or
    /// the kernel runs; the stream and the engine are held, links and SMs are not.
    SimTime launch;
    /// Ceiling of this copy's own rate in bytes a second beside the platform's; 0 = none.
    double rate_max_Bps = 0.0;
    /// What GPUs that are still at their low clocks make of it, >= 1. A kernel that begins before
    /// TaskGraph::warm_at takes so many times as long; until then a copy has that part of the rate
    /// which it would reach alone.
    double cold_slowdown = 1.0;
    std::optional<Phase> phase;           ///< none: a barrier's
    int pass = 0;                         ///< of the sort; 0 where the phase belongs to none
    std::uint32_t dependencies_begin = 0; ///< set by TaskGraph::add
    std::uint32_t dependencies_end = 0;
};

/// Tasks with their order. Acyclic by construction: a task depends on earlier ones only.
struct TaskGraph {
    std::vector<Stream> streams;
    std::vector<Task> tasks;
    std::vector<TaskId> dependencies; ///< of all tasks; each has a range of it
    SimTime warm_at;                  ///< when the GPUs' clocks are up, having worked since 0

    [[nodiscard]] StreamId add_stream(std::string name, std::optional<std::uint32_t> gpu);

    /// Appends a task. \pre dependencies and stream exist already
    TaskId add(Task task, std::span<TaskId const> task_dependencies = {});

    [[nodiscard]] std::span<TaskId const> dependencies_of(TaskId task) const;

    /// Whether a task stands for several copies.
    [[nodiscard]] bool has_trains() const;
};

} // namespace keyswap::simulator
