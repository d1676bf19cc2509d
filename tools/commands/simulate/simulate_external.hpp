#pragma once

/// \file Predicts the time of a sort on files, for `simulate --external` and `whatif --external`.

#include "simulator/prediction/external_sort.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::tools {

/// A sort on files to predict.
struct ExternalRequest {
    std::string platform;
    std::uint64_t key_count = 0;
    std::string key_type;     ///< of the keys whose distribution the records' keys have
    std::string distribution; ///< "zipf=0.75" includes its parameter
    std::optional<double> parameter;
    std::uint64_t seed = 1;
    std::uint64_t memory_bytes = 0; ///< memory limit of the sort
    double disks = 1.0;             ///< relative to the platform's number of disks
    std::uint32_t cores = 64;       ///< lower bound for servers with these platforms
    std::optional<std::string> gpus = std::nullopt;         ///< to sort ranges; nullopt: CPU cores
    std::optional<std::uint64_t> gpu_memory = std::nullopt; ///< bytes per GPU; nullopt: all
    std::optional<model::RecordLayout> records = std::nullopt; ///< nullopt: a file of keys
};

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

[[nodiscard]] Expected<ExternalAnswer> predict(ExternalRequest const& question);

/// Limiting resource of a phase: "writes of the storage (98 %)".
[[nodiscard]] std::string limit_text(simulator::ExternalPhase const& phase);

} // namespace keyswap::tools
