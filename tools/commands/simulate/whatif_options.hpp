#pragma once

/// \file Options of `keyswap whatif`, and its predictions other than of sorts in
/// memory.

#include "simulator/study/gpu_sets.hpp"
#include "simulator/study/what_if.hpp"
#include "tools/build/exit_code.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/output/command_files.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace keyswap::tools {

/// Of some options of `simulate`, a list of values to combine.
struct WhatIfOptions : LoadOptions {
    std::vector<std::string> platforms{"dgx-a100"};
    std::vector<std::string> inputs;
    std::vector<std::string> keys{"2e9"};
    std::vector<std::string> algorithms; ///< default_schedule() if empty
    std::vector<std::string> key_types{"u32"};
    std::vector<std::string> distributions{"uniform"};
    std::vector<double> parameters;
    std::vector<int> digit_bits;
    std::vector<std::uint32_t> tolerances;
    std::vector<std::uint32_t> fuses;
    std::vector<std::string> links;
    std::vector<std::string> swaps{"flat"};
    std::vector<std::string> gpu_memory; ///< of each GPU; keys that exceed it form ranges
    std::vector<std::string> gpu_sets;
    std::vector<std::string> gpu_counts; ///< "4", "1-8"
    bool partition = false;              ///< predicts multisplits instead of sorts
    std::vector<std::string> devices{"h200"};
    std::vector<std::uint32_t> buckets{2, 4, 8, 16, 32, 64, 128, 256};
    std::string rule = "digit";
    bool external = false; ///< predicts sorts on files
    std::vector<std::string> memory;
    std::vector<double> disks{1.0}; ///< relative to a platform's number of disks
    std::vector<std::uint32_t> cores{64};
    bool break_even = false;
    bool costs = false;
    bool all_columns = false;
    bool json = false;
    std::optional<std::string> csv;
    Existing existing = Existing::keep;
};

/// Adds --gpus and --gpu-count.
void add_gpu_set_options(CLI::App& command, WhatIfOptions& options);

/// True if a single GPU count was given, so that all its sets are ranked.
[[nodiscard]] bool ranks_sets(WhatIfOptions const& options);

struct GpuSets {
    std::vector<simulator::GpuSetClass> sets;
    bool sampled = false; ///< for some count, two likely sets represent all
};

/// The GPU sets to try on a machine for keys at these places, which decide which sets are
/// equivalent. If a count has too many sets, the first GPUs and evenly spread
/// GPUs represent all.
[[nodiscard]] Expected<GpuSets> gpu_sets_of(WhatIfOptions const& options,
                                            simulator::Machine const& machine,
                                            simulator::KeyPlaces const& places);

/// Reduces rows, in which the GPU set varies fastest, to the fastest row of each GPU count. Drops
/// counts that an algorithm does not support, if it supports any other.
[[nodiscard]] std::vector<simulator::WhatIfRow>
best_of_each_count(std::vector<simulator::WhatIfRow> rows, std::size_t set_count);

/// Adds the options of --partition. \return the flag
CLI::Option* add_partition_options(CLI::App& command, WhatIfOptions& options);

/// `keyswap whatif --partition`: compares multisplits. Prints a row for each device, number and
/// type of keys, distribution and number of buckets.
[[nodiscard]] Expected<ExitCode> run_partition_sweep(WhatIfOptions const& options);

/// Adds the options of --external. \return the flag
CLI::Option* add_external_sweep_options(CLI::App& command, WhatIfOptions& options);

/// `keyswap whatif --external`: compares memory sizes, disk counts and machines for sorts on files.
/// Prints a row for each platform, number and type of keys, distribution, memory, number of disks
/// and of cores.
[[nodiscard]] Expected<ExitCode> run_external_sweep(WhatIfOptions const& options);

} // namespace keyswap::tools
