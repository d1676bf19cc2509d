#pragma once

/// \file Predicts the time of a sort on files, for `simulate --external` and `whatif --external`.

#include "simulator/prediction/external_sort.hpp"
#include "tools/commands/simulate/simulate_options.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::tools {

struct ExternalAnswer {
    simulator::Platform platform;
    simulator::Storage storage;
    model::ExternalPlan plan;
    std::string keys; ///< "uniform, seed 1"
    std::uint32_t cores = 0;
    std::optional<simulator::RangeGpus> gpus; ///< nullopt: CPU cores sort the ranges
    simulator::ExternalPrediction prediction;
    std::optional<simulator::ExternalInterval> interval; ///< nullopt: rates are not measured

    [[nodiscard]] std::uint64_t size_bytes() const {
        return plan.record_count * plan.layout.record_bytes;
    }
    /// Key bytes divided by the total time.
    [[nodiscard]] double GB_per_s() const;
    /// Phase with the longest time, which determines the bottleneck.
    [[nodiscard]] simulator::ExternalPhase const& longest_phase() const;
};

/// \pre question.memory is given
[[nodiscard]] Expected<ExternalAnswer> predict_external(SimulateOptions const& question);

/// Limiting resource of a phase: "writes of the storage (98 %)".
[[nodiscard]] std::string limit_text(simulator::ExternalPhase const& phase);

} // namespace keyswap::tools
