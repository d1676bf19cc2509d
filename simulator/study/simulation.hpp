#pragma once

/// \file A sort on a machine, simulated: keys' counts, plan, task graph, timeline.

#include "simulator/engine/engine.hpp"
#include "simulator/engine/timeline.hpp"
#include "simulator/platform/key_place.hpp"
#include "simulator/platform/platform.hpp"
#include "simulator/schedules/schedule.hpp"
#include "simulator/study/memory_fit.hpp"

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

/// \param profile name or file of a device profile; absent = the one that the platform names
[[nodiscard]] Expected<Machine> load_machine(std::string_view platform,
                                             std::optional<std::string> const& profile);

/// A sentence for each profile that stands in for one that is missing: the CPUs of a machine that
/// no host profile names, the GPUs of a machine with several kinds. None if the sort does not use
/// them.
[[nodiscard]] std::vector<std::string> stand_in_notes(Machine const& machine,
                                                      std::string_view algorithm);

/// Whether a sort that takes more memory than there is gets refused. What was measured did fit,
/// whatever the law of its memory says.
enum class MemoryLimits { kept, ignored };

/// What is simulated.
struct SimulationRequest {
    std::string algorithm = "rmg-paper"; ///< a schedule's name, see find_schedule()
    model::SortConfig config;            ///< gpu_count is set from `gpus`
    std::string distribution = "uniform";
    std::optional<double> parameter; ///< of the distribution
    std::uint64_t seed = 1;
    std::vector<std::uint32_t> gpus; ///< on the machine, in the sort's order; none for a CPU sort
    std::optional<KeyPlace> input;   ///< where keys lie; absent: default_key_place() of `layout`
    std::optional<KeyPlace> output;  ///< absent: where the input lies
    KeyLayout layout = KeyLayout::published;
    std::optional<int> cpu_threads;
    std::optional<SwapOrder> swap = SwapOrder::flat; ///< absent: whichever is faster
    DrawnSample sample = DrawnSample::likely;
    MemoryLimits memory_limits = MemoryLimits::kept;
    EngineOptions engine;
};

/// The order of the key swap that was tried and not taken.
struct OtherSwap {
    SwapOrder order = SwapOrder::flat;
    std::optional<SimTime> makespan; ///< nothing where it takes more memory than there is
};

struct Simulation {
    SimulationRequest request; ///< resolved
    MemoryFit memory;
    Schedule schedule;
    Timeline timeline;
    std::optional<OtherSwap> other_swap = std::nullopt; ///< where the faster order was asked for
};

/// Whether a CPU sorts or merges the keys, which lie on its NUMA node then, 0 by default.
/// \param algorithm a schedule's name
[[nodiscard]] bool works_on_one_node(std::string_view algorithm);

/// The places of input and output that a request means.
struct KeyPlaces {
    KeyPlace input;
    KeyPlace output;
};
[[nodiscard]] KeyPlaces key_places(Platform const& platform, SimulationRequest const& request);

/// \return an error where the machine lacks a GPU, a name is unknown, the sort cannot run this or
///         does not fit into the machine's memories, or a swap by node is asked for and the sort
///         knows none or has its GPUs on one node
/// \param facts of simulations of the same request on machines that differ in constants alone
[[nodiscard]] Expected<Simulation>
simulate(Machine const& machine,
         SimulationRequest request,
         std::shared_ptr<KeyFacts> const& facts = std::make_shared<KeyFacts>());

} // namespace keyswap::simulator
