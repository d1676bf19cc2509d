#pragma once

/// \file Options that `simulate` and `whatif` share.

#include "simulator/study/simulation.hpp"
#include "tools/options/algorithm_options.hpp"

namespace CLI {
class App;
}

namespace keyswap::tools {

/// What moves and where it lies, as written on the command line.
struct LoadOptions {
    std::string values = "none";
    std::optional<std::string> input_on;  ///< "node:0" ...; the platform's own without it
    std::optional<std::string> output_on; ///< where the input lies without it
};

/// --values, --input-on and --output-on, which commands that simulate have.
void add_load_options(CLI::App& command, LoadOptions& options);
/// Those of them that say one thing where --input-on may name several places.
void add_values_and_output_options(CLI::App& command, LoadOptions& options);

/// Sets what they ask for. \return an error naming the option
[[nodiscard]] std::optional<InputError> apply(LoadOptions const& options,
                                              simulator::SimulationRequest& request);

/// As written on the command line.
struct SimulationOptions {
    LoadOptions load;
    std::string platform = "dgx-a100";
    std::optional<std::string> profile;
    /// Without a name, the published variant: every device profile knows its kernels.
    AlgorithmOptions algorithm{std::nullopt, std::nullopt, {}, "rmg-paper"};
    std::uint64_t key_count = 2'000'000'000;
    std::string key_type = "u32";
    std::string distribution = "uniform";
    std::optional<double> parameter;
    std::uint64_t seed = 1;
    std::optional<int> cpu_threads;
    double rate_tolerance = 0.0;
};

/// --rate-tolerance, which commands that simulate have.
void add_rate_tolerance_option(CLI::App& command, double& tolerance);

void add_simulation_options(CLI::App& command, SimulationOptions& options);

/// Everything but the GPUs.
[[nodiscard]] Expected<simulator::SimulationRequest>
request_from(SimulationOptions const& options, simulator::Machine const& machine);

/// --gpus, of the machine's GPUs.
[[nodiscard]] Expected<std::vector<std::uint32_t>> parse_gpus(std::string const& text,
                                                              simulator::Machine const& machine);

/// Pieces between commas.
[[nodiscard]] std::vector<std::string> comma_separated(std::string const& text);

} // namespace keyswap::tools
