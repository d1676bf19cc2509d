#pragma once

/// \file GPU sets that `whatif` compares: named sets, all of one size, or the best of each size.

#include "simulator/study/gpu_sets.hpp"
#include "simulator/study/what_if.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Values as given on the command line.
struct GpuSweepOptions {
    std::vector<std::string> sets;   ///< --gpus
    std::vector<std::string> counts; ///< --gpu-count: "4", "1-8"
};

void add_gpu_sweep_options(CLI::App& command, GpuSweepOptions& options);

/// True if a single GPU count was given, so that all its sets are ranked.
[[nodiscard]] bool ranks_sets(GpuSweepOptions const& options);

/// Which rows to report.
enum class SetChoice { all, best_of_each_count };

struct GpuSweep {
    std::vector<simulator::GpuSetClass> sets;
    SetChoice choice = SetChoice::all;
    bool sampled = false; ///< for some count, two likely sets represent all
};

/// The GPU sets to try on a machine for keys at these places, which decide which sets are
/// equivalent. If a count has too many sets, the first GPUs and evenly spread
/// GPUs represent all.
[[nodiscard]] Expected<GpuSweep> gpu_sets_of(GpuSweepOptions const& options,
                                             simulator::Machine const& machine,
                                             simulator::KeyPlaces const& places);

/// Reduces rows, in which the GPU set varies fastest, to the fastest row of each GPU count. Drops
/// counts that an algorithm does not support, if it supports any other.
[[nodiscard]] std::vector<simulator::WhatIfRow>
best_of_each_count(std::vector<simulator::WhatIfRow> rows, std::size_t set_count);

} // namespace keyswap::tools
