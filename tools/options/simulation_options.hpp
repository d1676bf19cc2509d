#pragma once

/// \file Options that `simulate` and `whatif` share.

#include "simulator/study/simulation.hpp"
#include "tools/options/algorithm_options.hpp"

#include <set>
#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// What moves and where it lies, as written on the command line.
struct LoadOptions {
    std::string values = "none";
    std::optional<std::string> input_on;  ///< "node:0" ...; that of the layout without it
    std::optional<std::string> output_on; ///< where the input lies without it
    bool published = false;               ///< the published program, and its keys on NUMA node 0

    [[nodiscard]] simulator::KeyLayout layout() const {
        return published ? simulator::KeyLayout::published : simulator::KeyLayout::near_gpus;
    }
};

/// The schedule that is meant if none is named: the first variant of the default algorithm, or the
/// published one.
[[nodiscard]] std::string default_schedule(LoadOptions const& load);

/// simulate(). If a sort that nobody named cannot run, the error names a variant that can.
/// \param named whether the algorithm was chosen by the user
[[nodiscard]] Expected<simulator::Simulation> simulate_or_advise(
    simulator::Machine const& machine, simulator::SimulationRequest const& request, bool named);

/// " '--algorithm rmg-paper' can run this." if the request's sort cannot and another variant of it
/// can, else empty.
[[nodiscard]] std::string variant_advice(simulator::Machine const& machine,
                                         simulator::SimulationRequest const& request);

/// "... all its keys lie on NUMA node 0 ..." of the sorts that work on one node of several machines
/// by default; empty if none does.
[[nodiscard]] std::string one_node_note(simulator::Platform const& platform,
                                        std::set<std::string> const& algorithms);

/// --values, --input-on and --output-on, which commands that simulate have.
void add_load_options(CLI::App& command, LoadOptions& options);
/// Those of them that say one thing where --input-on may name several places.
void add_values_and_output_options(CLI::App& command, LoadOptions& options);

/// Sets what they ask for. \return an error naming the option
[[nodiscard]] Expected<void> apply(LoadOptions const& options,
                                   simulator::SimulationRequest& request);

/// As written on the command line.
struct SimulationOptions {
    LoadOptions load;
    std::string platform = "dgx-a100";
    std::optional<std::string> profile;
    AlgorithmOptions algorithm; ///< default_schedule() without a name

    [[nodiscard]] bool names_algorithm() const { return algorithm.name || algorithm.variant; }

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
