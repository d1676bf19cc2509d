#pragma once

/// \file How long a sort on files would take, for `simulate --external` and `whatif --external`.

#include "simulator/study/external_sort.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace keyswap::tools {

/// A sort on files that is predicted.
struct ExternalQuestion {
    std::string platform;
    std::uint64_t key_count = 0;
    std::string key_type;
    std::string distribution; ///< "zipf=0.75" has its parameter
    std::optional<double> parameter;
    std::uint64_t seed = 1;
    std::uint64_t memory_bytes = 0; ///< given to the sort
    double disks = 1.0;             ///< times as many as the platform has
    std::uint32_t cores = 64;       ///< that servers of these platforms have at least
    std::optional<std::string> gpus = std::nullopt; ///< that sort ranges, as --gpus; none: cores
    std::optional<std::uint64_t> gpu_memory = std::nullopt; ///< bytes a GPU; none: what it has
};

struct ExternalAnswer {
    simulator::Platform platform;
    simulator::Storage storage;
    model::ExternalPlan plan;
    std::string keys; ///< "uniform, seed 1"
    std::uint32_t cores = 0;
    std::optional<simulator::RangeGpus> gpus; ///< that sort ranges
    simulator::ExternalPrediction prediction;

    [[nodiscard]] std::uint64_t size_bytes() const {
        return plan.record_count * plan.layout.record_bytes;
    }
    /// Of keys, from start to end.
    [[nodiscard]] double GB_per_s() const;
    /// The longest phase, which says what limits the sort.
    [[nodiscard]] simulator::ExternalPhase const& longest_phase() const;
};

[[nodiscard]] Expected<ExternalAnswer> predict(ExternalQuestion const& question);

/// "writes of the storage (98 %)"
[[nodiscard]] std::string limit_text(simulator::ExternalPhase const& phase);

} // namespace keyswap::tools
