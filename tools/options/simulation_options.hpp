#pragma once

/// \file Options that `simulate` and `whatif` share.

#include "simulator/simulation.hpp"

namespace CLI {
class App;
}

namespace keyswap::tools {

/// As written on the command line.
struct SimulationOptions {
    std::string platform = "dgx-a100";
    std::optional<std::string> profile;
    std::string algorithm = "rmg-paper";
    std::uint64_t key_count = 2'000'000'000;
    std::string key_type = "u32";
    std::string distribution = "uniform";
    std::optional<double> parameter;
    std::uint64_t seed = 1;
    int digit_bits = 8;
    std::uint32_t tolerance_ppm = 5000;
    std::uint32_t fuse_ppm = 10000;
    std::uint32_t host_node = 0;
    std::optional<int> cpu_threads;
    double rerating_tolerance = 0.0;
};

/// --rerating-tolerance, which commands that simulate have.
void add_rerating_option(CLI::App& command, double& tolerance);

void add_simulation_options(CLI::App& command, SimulationOptions& options);

/// Everything but the GPUs.
[[nodiscard]] Expected<simulator::SimulationRequest>
request_from(SimulationOptions const& options, simulator::Machine const& machine);

/// "0,2,4" as numbers; all GPUs of the machine where the text is empty.
[[nodiscard]] Expected<std::vector<std::uint32_t>> parse_gpus(std::string const& text,
                                                              simulator::Machine const& machine);

/// Pieces between commas.
[[nodiscard]] std::vector<std::string> comma_separated(std::string const& text);

} // namespace keyswap::tools
