#pragma once

/// \file A sort on a machine, simulated: keys' counts, plan, task graph, timeline.

#include "simulator/engine/engine.hpp"
#include "simulator/engine/timeline.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/schedules/schedule.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::simulator {

/// A platform with the costs of its GPUs and CPUs.
struct Machine {
    Platform platform;
    DeviceProfile device;
    HostProfile host;
};

/// \param profile name or file of a device profile; absent = the one that the platform names
[[nodiscard]] Expected<Machine> load_machine(std::string_view platform,
                                             std::optional<std::string> const& profile);

/// What is simulated.
struct SimulationRequest {
    std::string algorithm = "rmg-paper"; ///< a schedule's name, see find_schedule()
    model::SortConfig config;            ///< gpu_count is set from `gpus`
    std::string distribution = "uniform";
    std::optional<double> parameter; ///< of the distribution
    std::uint64_t seed = 1;
    std::vector<std::uint32_t> gpus; ///< on the machine, in the sort's order; none for a CPU sort
    Residence residence = Residence::host; ///< where the chunks lie before and after
    std::uint32_t host_node = 0;
    std::optional<int> cpu_threads;
    EngineOptions engine;
};

struct Simulation {
    SimulationRequest request; ///< resolved
    Schedule schedule;
    Timeline timeline;
};

/// \return an error where the machine lacks a GPU, a name is unknown or the sort cannot run this
[[nodiscard]] Expected<Simulation> simulate(Machine const& machine, SimulationRequest request);

} // namespace keyswap::simulator
