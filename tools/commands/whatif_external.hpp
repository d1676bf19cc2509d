#pragma once

/// \file `keyswap whatif --external`: compares memory sizes, disk counts and machines for a sort on
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
    std::vector<double> disks{1.0}; ///< relative to a platform's number of disks
    std::vector<std::uint32_t> cores{64};
};

/// Options shared with other modes of `keyswap whatif`.
struct ExternalSweepKeys {
    std::vector<std::string> platforms;
    std::vector<std::string> counts;
    std::vector<std::string> key_types;
    std::vector<std::string> distributions; ///< each with its parameter, if any
    std::uint64_t seed = 1;
    bool costs = false;
    bool json = false;
};

/// \return the flag --external
CLI::Option* add_external_sweep_options(CLI::App& command, ExternalSweepOptions& options);

/// Prints one row for each combination of platform, key count, key type, distribution, memory, disk
/// count and core count.
[[nodiscard]] Expected<ExitCode> run_external_sweep(ExternalSweepOptions const& options,
                                                    ExternalSweepKeys const& keys);

} // namespace keyswap::tools
