#pragma once

#include "model/keys/key_source.hpp"
#include "model/partition/refinement.hpp"
#include "model/plan/sort_config.hpp"
#include "model/plan/sort_plan.hpp"
#include "traces/catalog/catalog.hpp"

#include <memory>
#include <span>
#include <string_view>

namespace keyswap::model {

/// How a sort divides the work among GPUs before they exchange keys.
enum class Division {
    buckets, ///< ranges of key values: chunks are partitioned, exchanged, then sorted
    runs,    ///< chunks are sorted, then exchanged and merged
    steps    ///< stable partitions of all keys, one after the other
};

/// A multi-GPU sort in the model: its catalogue name and its planner. A file in the sort's own
/// folder defines it, and a line in model/CMakeLists.txt registers it.
struct Algorithm {
    std::string_view name; ///< as in the catalogue
    Division division = Division::buckets;
    /// \pre the configuration is valid, with the source's key count and a key type that the
    /// catalogue row lists
    Expected<SortPlanPointer> (*planner)(SortConfig const&, KeySource&);
    /// How its passes divide buckets; null if they read digits or if it has no buckets.
    std::unique_ptr<Refinement const> (*refinement)(SortConfig const&) = nullptr;
    /// False if the plan depends on the configuration alone; the planner then never reads keys from
    /// the source, which may have none.
    bool reads_keys = true;

    /// Its row of the catalogue.
    [[nodiscard]] AlgorithmInfo const& info() const;
    /// Plans the sort of the source's keys. \return an error if the algorithm does not support them
    /// \pre the configuration is valid and has the source's key count
    [[nodiscard]] Expected<SortPlanPointer> plan(SortConfig const& config, KeySource& source) const;
};

/// All algorithms of the model, in table order. The build generates the definition.
[[nodiscard]] std::span<Algorithm const* const> algorithms();

/// \return an error that lists the known names
[[nodiscard]] Expected<Algorithm const*> find_algorithm(std::string_view name);

} // namespace keyswap::model
