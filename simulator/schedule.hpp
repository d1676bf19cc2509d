#pragma once

/// \file A schedule turns a plan into the engine's workload: which stream does what, after what.
/// Adding one is adding a file and a line in schedule_registry.cpp.

#include "model/key_source.hpp"
#include "model/sort_config.hpp"
#include "simulator/device_profile.hpp"
#include "simulator/host_profile.hpp"
#include "simulator/task_graph.hpp"
#include "traces/input_error.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// Names of phases, as every table prints them.
namespace phase {
inline constexpr std::string_view host_to_device = "host to device";
inline constexpr std::string_view histogram = "histogram";
inline constexpr std::string_view scatter = "scatter";
inline constexpr std::string_view planning = "planning";
inline constexpr std::string_view key_swap = "key swap";
inline constexpr std::string_view sort = "sort";
inline constexpr std::string_view device_to_host = "device to host";
inline constexpr std::string_view cpu_merge = "CPU merge";
inline constexpr std::string_view cpu_sort = "CPU sort";
} // namespace phase

/// What a schedule is made from.
struct ScheduleInput {
    model::SortConfig config;
    model::KeySource* keys = nullptr; ///< asked for histograms; not owned, never null
    std::vector<std::uint32_t> gpus;  ///< [g] numbers on the machine, in the sort's order
    std::uint32_t host_node = 0;      ///< NUMA node that holds input and output
    std::optional<int> cpu_threads;   ///< of a CPU sort; absent = as many as were measured
    DeviceProfile device;             ///< of all GPUs
    HostProfile host;
};

/// A workload and what the plan said.
struct Schedule {
    TaskGraph graph;
    int passes = 0;         ///< partitioning passes run
    std::size_t copies = 0; ///< of the key swap, or of all swaps
    std::size_t sort_calls = 0;
};

/// One schedule of the registry.
struct ScheduleKind {
    std::string_view name;        ///< "rmg-paper"
    std::string_view description; ///< one line
    std::string_view source;      ///< paper and section
    /// \return an error where this sort cannot run the configuration
    std::function<Expected<Schedule>(ScheduleInput const&)> build;
};

/// All schedules, in the order of tables.
[[nodiscard]] std::span<ScheduleKind const> schedule_kinds();

/// \return an error that lists the known names
[[nodiscard]] Expected<ScheduleKind const*> find_schedule(std::string_view name);

} // namespace keyswap::simulator
