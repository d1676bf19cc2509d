#pragma once

/// \file The catalogue of algorithms: the one table that commands, properties, reports and
/// generators iterate over. Each entry is a file listed in traces/CMakeLists.txt, from which the
/// build generates the table.

#include "traces/catalog/algorithm_info.hpp"
#include "traces/errors/input_error.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace keyswap {

/// An algorithm and one of its variants. Neither pointer is null after look-up.
struct AlgorithmChoice {
    AlgorithmInfo const* algorithm = nullptr;
    VariantInfo const* variant = nullptr;

    friend bool operator==(AlgorithmChoice const&, AlgorithmChoice const&) = default;
};

/// All algorithms, in table order. The build generates the definition.
[[nodiscard]] std::span<AlgorithmInfo const* const> catalog();

/// \return an error that lists the known names
[[nodiscard]] Expected<AlgorithmInfo const*> find_algorithm_info(std::string_view name);

/// \return an error that lists the algorithm's variants
[[nodiscard]] Expected<VariantInfo const*> find_variant(AlgorithmInfo const& algorithm,
                                                        std::string_view name);

/// Resolves `--algorithm` and `--variant`.
/// \param variant nullopt = the algorithm's first
[[nodiscard]] Expected<AlgorithmChoice> choose(std::string_view algorithm,
                                               std::optional<std::string> const& variant);

/// The name in lists and tables: "rmg-fast"; the algorithm's name alone if it has only one
/// variant: "p2p-merge".
[[nodiscard]] std::string full_name(AlgorithmChoice choice);

/// The inverse of full_name(). An algorithm's name alone selects its first variant.
/// \return an error that lists the known full names
[[nodiscard]] Expected<AlgorithmChoice> parse_full_name(std::string_view text);

/// All variants of all algorithms, in table order.
[[nodiscard]] std::vector<AlgorithmChoice> every_choice();

/// The choice with that name in published measurement files; nullopt if there is none.
[[nodiscard]] std::optional<AlgorithmChoice> find_published(std::string_view published_name);

/// The full name of the algorithm of a measured run, which a published file may name differently.
[[nodiscard]] std::string measured_algorithm(std::string const& recorded_name);

} // namespace keyswap
