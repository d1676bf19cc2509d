#pragma once

/// \file A schedule converts a plan into the engine's tasks, with their streams and dependencies.

#include "model/distributions/key_generator.hpp"
#include "model/keys/key_source.hpp"
#include "model/plan/sort_config.hpp"
#include "simulator/cost/device_profile.hpp"
#include "simulator/cost/host_profile.hpp"
#include "simulator/engine/task_graph.hpp"
#include "simulator/schedules/key_facts.hpp"
#include "simulator/schedules/sort_memory.hpp"
#include "simulator/schedules/swap_order.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap::simulator {

/// The sample of a simulated sample sort: one whose first pass behaves as with most samples, or the
/// one that the seed of the configuration draws.
enum class DrawnSample { likely, of_seed };

/// Input of a schedule: the sort, its GPUs and memories, and the costs of the machine.
struct ScheduleInput {
    model::SortConfig config;
    model::KeySource* keys = nullptr;          ///< source of histograms; not owned, never null
    std::optional<model::KeyRequest> expected; ///< set if `keys` gives expected counts of it
    std::vector<std::uint32_t> gpus;           ///< [g] number on the platform, in the sort's order
    std::vector<std::uint32_t> machines;       ///< [g] node of a cluster
    /// [g] Memory of each GPU's chunk before and after the sort. No copy is made if it is the GPU's
    /// own.
    std::vector<MemoryPlace> input_memories;
    std::vector<MemoryPlace> output_memories;
    std::uint32_t host_node = 0;    ///< NUMA node for work of a CPU
    std::optional<int> cpu_threads; ///< of a CPU sort; nullopt: as many as were measured
    DeviceProfile device;           ///< of every GPU
    HostProfile host;
    SwapOrder swap = SwapOrder::flat; ///< must be supported by the schedule
    DrawnSample sample = DrawnSample::likely;
    /// Shared with earlier simulations of the same sort; never null.
    std::shared_ptr<KeyFacts> facts = std::make_shared<KeyFacts>();
    bool own_program = false; ///< see ScheduleBuilder::uses_fast_kernels()
};

/// Scatters of a bucket whose existence depends on a few keys.
struct UncertainScatter {
    int pass = 0;
    double chance = 0.0; ///< that they take place; simulated if at least 0.5
    SimTime duration;    ///< of the slowest GPU, if they take place
};

/// Another sample of a sample sort, with which it takes more passes, or fewer.
struct AlternativeSample {
    std::uint64_t seed = 0; ///< of one such sample
    double chance = 0.0;    ///< fraction of such samples; at most 0.5
    int draws = 0;          ///< number of samples drawn to estimate the chance
};

/// How a sort of keys that exceed the GPUs' memory divides them, see schedule_ranges().
struct ScheduledRanges {
    std::uint64_t count = 0;    ///< non-empty ranges
    std::uint64_t keys_max = 0; ///< most keys that fit the GPUs at once
    TaskId distributed;         ///< after it, all keys are in their ranges
};

/// A workload with figures from its plan.
struct Schedule {
    TaskGraph graph;
    int passes = 0;         ///< partitioning passes
    std::size_t copies = 0; ///< copies of the key swap, or of all swaps
    std::size_t sort_calls = 0;
    std::vector<UncertainScatter> uncertain_scatters = {};
    std::optional<AlternativeSample> other_draw = std::nullopt;
    /// Which kernels replace the variant's own, and why; empty if its own are used.
    std::string fallback = {};
    std::optional<ScheduledRanges> ranges = std::nullopt; ///< nullopt: the GPUs hold all keys
};

/// An entry of the registry of schedules: how a variant of an algorithm is executed. Each has its
/// own file and a line in simulator/CMakeLists.txt.
struct ScheduleKind {
    std::string_view algorithm; ///< as in the catalogue
    std::string_view variant;   ///< as in the catalogue
    /// \return an error if this sort does not support the configuration
    Expected<Schedule> (*build)(ScheduleInput const&);
    MemoryLaw memory = out_of_place_memory;
    SwapOrders swaps = SwapOrders::flat_only;

    /// The variant's entry in the catalogue.
    [[nodiscard]] AlgorithmChoice choice() const;
};

/// All schedules, in the order of tables. The build generates the body.
[[nodiscard]] std::span<ScheduleKind const* const> schedule_kinds();

/// \param name full name such as "rmg-paper"; the name of an algorithm selects its first variant
/// with a schedule
/// \return an error that lists the known names
[[nodiscard]] Expected<ScheduleKind const*> find_schedule(std::string_view name);

} // namespace keyswap::simulator
