#pragma once

/// \file Which sets of GPUs `whatif` compares: named ones, all of a size, or the best of each size.

#include "simulator/study/what_if.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// As written on the command line.
struct GpuSweepOptions {
    std::vector<std::string> sets;   ///< --gpus
    std::vector<std::string> counts; ///< --gpu-count: "4", "1-8"
};

void add_gpu_sweep_options(CLI::App& command, GpuSweepOptions& options);

/// Whether one number of GPUs was asked for, and all its sets are ranked.
[[nodiscard]] bool ranks_sets(GpuSweepOptions const& options);

struct GpuSweepSet {
    std::vector<std::uint32_t> gpus;
    std::uint64_t equivalent_sets = 1;
};

/// What becomes of the rows of all sets.
enum class SetChoice { all, best_of_each_count };

struct GpuSweep {
    std::vector<GpuSweepSet> sets;
    SetChoice choice = SetChoice::all;
    bool sampled = false; ///< of some number, two likely sets stand for all
};

/// Where keys lie decides which sets are alike.
struct SweptPlaces {
    simulator::KeyPlace input;
    simulator::KeyPlace output;
};

/// The sets on a machine. Of numbers that have too many sets to try, the first GPUs and those
/// spread evenly over the machine stand for all.
[[nodiscard]] Expected<GpuSweep> gpu_sets_of(GpuSweepOptions const& options,
                                             simulator::Machine const& machine,
                                             SweptPlaces const& places);

/// Of rows whose sets of GPUs vary fastest, the fastest of each number of GPUs. A number that an
/// algorithm cannot have is left out where it has others.
[[nodiscard]] std::vector<simulator::WhatIfRow>
best_of_each_count(std::vector<simulator::WhatIfRow> rows, std::size_t set_count);

} // namespace keyswap::tools
