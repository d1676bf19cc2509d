#pragma once

/// \file Options of `keyswap simulate`, and what it predicts in place of a sort on a platform.

#include "tools/build/exit_code.hpp"
#include "tools/commands/simulate/simulate_answer.hpp"
#include "tools/options/simulation_options.hpp"
#include "tools/output/command_files.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

struct SimulateOptions {
    SimulationOptions common;
    std::optional<std::string> device; ///< asks for a sort inside it
    std::optional<std::string> gpus;   ///< all without it
    std::string swap = "flat";
    std::vector<std::string> assumptions;
    std::vector<std::string> missing; ///< parts that the machine lacks
    std::vector<std::string> background;
    std::optional<std::string> operation; ///< asks for a collective in place of a sort
    std::optional<std::uint64_t> bytes;
    bool external = false;
    std::optional<std::uint64_t> memory;     ///< of an external sort
    std::optional<std::uint64_t> gpu_memory; ///< a GPU, of an external sort
    std::optional<std::string> trace;
    Existing existing = Existing::keep;
    LinksShown links = LinksShown::busiest;
    bool json = false;

    [[nodiscard]] CommandFiles files() const {
        return {{{"--platform", common.platform}, {"--profile", common.profile}},
                {{"--trace", trace}},
                json ? "--json" : "",
                existing};
    }
};

/// `keyswap simulate --device`: a sort inside one device by the law of its rate profile. Prints
/// steps, their time and the constants behind them.
[[nodiscard]] Expected<ExitCode> simulate_on_device(SimulateOptions const& options);

/// `keyswap simulate --external`: how long a sort on files would take.
[[nodiscard]] Expected<ExitCode> simulate_external(SimulateOptions const& options);

} // namespace keyswap::tools
