#pragma once

/// \file --algorithm, --variant and the parameters of algorithms, as every command has them. All
/// names and limits are the catalogue's.

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

/// The algorithm of every command that is given none, in its first variant.
inline constexpr char const* default_algorithm = "rmg";

/// Parameters by name, as given.
using GivenParameters = std::map<std::string, std::uint64_t>;

/// As the user gave them.
struct AlgorithmOptions {
    std::optional<std::string> name; ///< of an algorithm, or with its variant: "rmg-paper"
    std::optional<std::string> variant;
    GivenParameters parameters;

    /// What --algorithm says, or stands for.
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

/// The names of those options of the whole catalogue: "--digit-bits --tolerance-ppm ...".
[[nodiscard]] std::string parameter_option_names();

/// An algorithm, one of its variants and their parameters.
struct ChosenAlgorithm {
    AlgorithmChoice choice;
    SortParameters parameters;
};

/// \return an error for an unknown name, for two names of a variant, and for a parameter that the
///         algorithm has not or that is out of its limits
[[nodiscard]] Expected<ChosenAlgorithm> resolve(AlgorithmOptions const& options);

/// The schedule that the options name: a full name, or an algorithm's own, which means its first
/// variant that can be simulated.
[[nodiscard]] Expected<std::string> schedule_name(AlgorithmOptions const& options);

/// The names of a list, "all" replaced by those of every schedule.
/// \return an error for an unknown name
[[nodiscard]] Expected<std::vector<std::string>>
schedule_names(std::vector<std::string> const& names);

/// Parameters given for several algorithms at once, for one of them: those that it has.
/// \return an error for a value out of its limits
[[nodiscard]] Expected<SortParameters> parameters_of(AlgorithmInfo const& algorithm,
                                                     GivenParameters const& given);

/// Sets a member for each of the algorithm's parameters: "digit_bits" ...
void add_parameters(Json& json, AlgorithmInfo const& algorithm, SortParameters const& parameters);

/// ", digit-bits 8, tolerance-ppm 5000": the algorithm's parameters; empty if it has none.
[[nodiscard]] std::string parameters_text(AlgorithmInfo const& algorithm,
                                          SortParameters const& parameters);

} // namespace keyswap::tools
