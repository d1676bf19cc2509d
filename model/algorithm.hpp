#pragma once

#include "model/key_arrays.hpp"
#include "model/key_source.hpp"
#include "model/merge_plan.hpp"
#include "model/plan.hpp"
#include "model/sort_config.hpp"
#include "model/violation.hpp"
#include "traces/records.hpp"

#include <optional>
#include <span>
#include <string_view>
#include <variant>

namespace keyswap::model {

/// What an algorithm decides before it moves a key.
using SortPlan = std::variant<Plan, MergePlan>;

/// Keys in input order and the scratch space of equal size that a replay needs.
template <class Image, class Value>
struct ReplayMemory {
    KeyArrays<Image, Value> arrays;
    KeyArrays<Image, Value> scratch;
};

using AnyReplayMemory = std::variant<ReplayMemory<std::uint32_t, NoValue>,
                                     ReplayMemory<std::uint32_t, std::uint32_t>,
                                     ReplayMemory<std::uint32_t, std::uint64_t>,
                                     ReplayMemory<std::uint64_t, NoValue>,
                                     ReplayMemory<std::uint64_t, std::uint32_t>,
                                     ReplayMemory<std::uint64_t, std::uint64_t>>;

/// A multi-GPU sort as the model knows it. Adding one is adding a file with its plan and replay
/// functions and a line in algorithm.cpp; every command, property and report then has it.
struct Algorithm {
    std::string_view name;        ///< as on the command line
    std::string_view description; ///< one line
    std::string_view source;      ///< paper
    /// \pre the configuration is validated and of the source's size
    Expected<SortPlan> (*plan)(SortConfig const&, KeySource&);
    /// Sorts the memory's arrays as planned. \pre the plan is this algorithm's own and exact
    /// \param sink takes digests of what moves, where the algorithm has buckets; may be null
    std::optional<Violation> (*replay)(SortPlan const&, AnyReplayMemory const&, TraceSink* sink);
    /// Writes what the plan decides.
    void (*record)(SortPlan const&, TraceSink&);
};

/// All algorithms; the first is RMG sort.
[[nodiscard]] std::span<Algorithm const> algorithms();

[[nodiscard]] Expected<Algorithm const*> find_algorithm(std::string_view name);

} // namespace keyswap::model
