#pragma once

/// \file `keyswap whatif --external`: how much memory, how many disks, which machine for a sort on
/// files.

#include "tools/build/exit_code.hpp"
#include "traces/errors/input_error.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
} // namespace CLI

namespace keyswap::tools {

struct ExternalSweepOptions {
    bool asked = false;
    std::vector<std::string> memory;
    std::vector<double> disks{1.0}; ///< times as many as a platform has
    std::vector<std::uint32_t> cores{64};
};

/// What it takes from the options of all questions.
struct ExternalSweepKeys {
    std::vector<std::string> platforms;
    std::vector<std::string> counts;
    std::vector<std::string> key_types;
    std::vector<std::string> distributions; ///< each with its parameter
    std::uint64_t seed = 1;
    bool costs = false;
    bool json = false;
};

/// \return the flag
CLI::Option* add_external_sweep_options(CLI::App& command, ExternalSweepOptions& options);

/// Prints a row for each platform, number and type of keys, distribution, memory, number of disks
/// and of cores.
[[nodiscard]] Expected<ExitCode> run_external_sweep(ExternalSweepOptions const& options,
                                                    ExternalSweepKeys const& keys);

} // namespace keyswap::tools
