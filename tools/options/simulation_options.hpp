#pragma once

/// \file Options common to `simulate`, `whatif` and `report`.

#include "simulator/prediction/simulation.hpp"
#include "tools/options/algorithm_options.hpp"

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Largest --cpu-threads of `simulate` and `whatif`.
inline constexpr int simulated_cpu_threads_max = 1024;

/// The keys of a simulated sort and their places, as given on the command line.
struct LoadOptions {
    std::optional<std::string> profile;
    std::string key_type = "u32";
    std::string values = "none";
    std::optional<std::string>
        distribution; ///< "zipf=0.75" includes its parameter; default: uniform
    std::optional<double> parameter;
    std::uint64_t seed = 1;
    double rate_tolerance = 0.0;          ///< 0: exact
    std::optional<std::string> input_on;  ///< "node:0" ...; by default as in layout()
    std::optional<std::string> output_on; ///< by default as input_on
    bool published = false;               ///< as the published program: keys on NUMA node 0

    [[nodiscard]] simulator::KeyLayout layout() const {
        return published ? simulator::KeyLayout::published : simulator::KeyLayout::near_gpus;
    }
};

/// The schedule used if none is named: the first variant of the default algorithm, or the published
/// one.
[[nodiscard]] std::string default_schedule(LoadOptions const& load);

/// Error if --published and --gpu-memory are combined.
[[nodiscard]] InputError published_has_no_ranges();

/// Calls simulate(); if a default algorithm cannot run, the error suggests a variant that can.
/// \param named true if the user chose the algorithm
[[nodiscard]] Expected<simulator::Simulation> simulate_or_advise(
    simulator::Machine const& machine, simulator::SimulationRequest const& request, bool named);

/// "'--algorithm rmg-paper' can run this" if the request's algorithm has another variant that can
/// run it; else empty.
[[nodiscard]] std::string variant_advice(simulator::Machine const& machine,
                                         simulator::SimulationRequest const& request);

/// Note on algorithms that by default use a single node of several machines: "... keys lie on NUMA
/// node 0 ..."; empty if there are none.
[[nodiscard]] std::string one_node_note(simulator::Platform const& platform,
                                        std::set<std::string> const& algorithms);

/// Adds --values, --input-on and --output-on.
void add_load_options(CLI::App& command, LoadOptions& options);
/// Like add_load_options(), without --input-on, which may name several places there.
void add_values_and_output_options(CLI::App& command, LoadOptions& options);

/// Applies the options, except the profile, to a request. \return an error naming the option
[[nodiscard]] Expected<void> apply(LoadOptions const& options,
                                   simulator::SimulationRequest& request);

/// Adds --rate-tolerance.
void add_rate_tolerance_option(CLI::App& command, double& tolerance);

/// Parses --gpus for this machine; "all" skips GPUs without links.
[[nodiscard]] Expected<std::vector<std::uint32_t>> parse_gpus(std::string const& text,
                                                              simulator::Machine const& machine);

/// Splits at commas.
[[nodiscard]] std::vector<std::string> comma_separated(std::string const& text);

} // namespace keyswap::tools
