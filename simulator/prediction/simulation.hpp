#pragma once

/// \file Simulation of a sort on a machine: keys' counts, plan, task graph, timeline.

#include "simulator/engine/engine.hpp"
#include "simulator/engine/timeline.hpp"
#include "simulator/platform/key_place.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/prediction/memory_fit.hpp"
#include "simulator/schedules/schedule.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// A platform with the costs of its GPUs and CPUs.
struct Machine {
    Platform platform;
    DeviceProfile device;
    HostProfile host;
};

/// \param profile name or path of a device profile; nullopt: the one that the platform names
[[nodiscard]] Expected<Machine> load_machine(std::string_view platform,
                                             std::optional<std::string> const& profile);

/// A sentence for each profile that substitutes a missing one: CPUs of a machine that no
/// host profile lists, GPUs of a machine with several models. Empty if the sort does not use
/// them.
[[nodiscard]] std::vector<std::string> stand_in_notes(Machine const& machine,
                                                      std::string_view algorithm);

/// Whether a sort that exceeds the memory is refused. Ignored for measured runs: they did fit,
/// whatever the formula says.
enum class MemoryLimits { kept, ignored };

/// Input of a simulation.
struct SimulationRequest {
    std::string algorithm = "rmg-paper"; ///< a schedule's name, see find_schedule()
    model::SortConfig config;            ///< gpu_count is set from `gpus`
    std::string distribution = "uniform";
    std::optional<double> parameter; ///< of the distribution
    std::uint64_t seed = 1;
    std::vector<std::uint32_t> gpus; ///< on the platform, in the sort's order; empty: CPU sort
    std::optional<KeyPlace> input;   ///< nullopt: default_key_place() of `layout`
    std::optional<KeyPlace> output;  ///< nullopt: same as the input
    KeyLayout layout = KeyLayout::published;
    /// Keyswap's own version of a published RMG variant runs, not the published program. Always so
    /// if the keys are on the GPUs.
    bool own_program = false;
    std::optional<int> cpu_threads;
    std::optional<SwapOrder> swap = SwapOrder::flat; ///< nullopt: whichever is faster
    DrawnSample sample = DrawnSample::likely;
    MemoryLimits memory_limits = MemoryLimits::kept;
    /// Bytes that each GPU may use for keys in host memory, which are sorted range by range if they
    /// do not fit (schedules/schedule_ranges.hpp); nullopt: sorts have to fit the GPUs.
    std::optional<std::uint64_t> gpu_memory_bytes;
    EngineOptions engine;
};

/// The order of the key swap that was simulated but not chosen.
struct OtherSwap {
    SwapOrder order = SwapOrder::flat;
    std::optional<SimTime> makespan; ///< nullopt if it does not fit into memory
};

struct Simulation {
    SimulationRequest request; ///< resolved
    MemoryFit memory;
    Schedule schedule;
    Timeline timeline;
    std::optional<OtherSwap> other_swap = std::nullopt; ///< set if the faster order was requested
};

/// True if a CPU sorts or merges the keys, so that they must be on one NUMA node (default 0).
/// \param algorithm name of a schedule
[[nodiscard]] bool works_on_one_node(std::string_view algorithm);

/// Resolved places of input and output.
struct KeyPlaces {
    KeyPlace input;
    KeyPlace output;
};
[[nodiscard]] KeyPlaces key_places(Platform const& platform, SimulationRequest const& request);

/// \return an error if the machine lacks a GPU, a name is unknown, the sort does not support this
/// or does not fit into memory, or a swap by node is requested but unsupported or all GPUs are on
/// one node
/// \param facts shared by simulations of the same request on machines with other constants
[[nodiscard]] Expected<Simulation>
simulate(Machine const& machine,
         SimulationRequest request,
         std::shared_ptr<KeyFacts> const& facts = std::make_shared<KeyFacts>());

} // namespace keyswap::simulator
