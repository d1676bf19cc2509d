#pragma once

/// \file --algorithm, --variant and the options of algorithm parameters, common to all commands.
/// Names and limits come from the catalogue.

#include "tools/text/json.hpp"
#include "traces/catalog/catalog.hpp"
#include "traces/catalog/parameters.hpp"
#include "traces/errors/input_error.hpp"

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace keyswap::tools {

/// Algorithm of all commands by default, in its first variant.
inline constexpr char const* default_algorithm = "rmg";

/// Parameters by name, as given on the command line.
using GivenParameters = std::map<std::string, std::uint64_t>;

/// Unresolved values of the options.
struct AlgorithmOptions {
    std::optional<std::string> name; ///< algorithm, or algorithm and variant: "rmg-paper"
    std::optional<std::string> variant;
    GivenParameters parameters;

    /// The value of --algorithm, or its default.
    [[nodiscard]] std::string named() const { return name.value_or(default_algorithm); }
};

/// The algorithms that have a schedule.
[[nodiscard]] std::vector<AlgorithmInfo const*> simulated_algorithms();

/// Adds --algorithm and --variant, and the options of the algorithms' parameters.
void add_algorithm_options(CLI::App& command,
                           AlgorithmOptions& options,
                           std::span<AlgorithmInfo const* const> algorithms);

/// Adds an option for every parameter that one of the algorithms has.
void add_parameter_options(CLI::App& command,
                           GivenParameters& parameters,
                           std::span<AlgorithmInfo const* const> algorithms);

/// Names of the parameter options of all algorithms: "--digit-bits --tolerance-ppm ...".
[[nodiscard]] std::string parameter_option_names();

/// An algorithm, one of its variants, and its parameters.
struct ChosenAlgorithm {
    AlgorithmChoice choice;
    SortParameters parameters;
};

/// \return an error for an unknown name, for two different variants, or for a parameter that the
/// algorithm lacks or whose value is out of range
[[nodiscard]] Expected<ChosenAlgorithm> resolve(AlgorithmOptions const& options);

/// The schedule named by the options: a full name, or an algorithm's name, which selects its first
/// variant that can be simulated.
[[nodiscard]] Expected<std::string> schedule_name(AlgorithmOptions const& options);

/// Expands "all" in a list of schedule names.
/// \return an error for an unknown name
[[nodiscard]] Expected<std::vector<std::string>>
schedule_names(std::vector<std::string> const& names);

/// Selects, from parameters given for several algorithms, those that this algorithm has.
/// \return an error for a value out of its limits
[[nodiscard]] Expected<SortParameters> parameters_of(AlgorithmInfo const& algorithm,
                                                     GivenParameters const& given);

/// Adds a field for each parameter of the algorithm: "digit_bits" ...
void add_parameters(Json& json, AlgorithmInfo const& algorithm, SortParameters const& parameters);

/// ", digit-bits 8, tolerance-ppm 5000": the algorithm's parameters; empty if it has none.
[[nodiscard]] std::string parameters_text(AlgorithmInfo const& algorithm,
                                          SortParameters const& parameters);

} // namespace keyswap::tools
