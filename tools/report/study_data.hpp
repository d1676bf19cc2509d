#pragma once

/// \file Studies of many runs as the page's script reads them: validations and what-if sweeps.

#include "simulator/study/validation.hpp"
#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <string>

namespace keyswap::tools {

/// Predicted beside measured, for every configuration of a measurements file.
/// \param file what was read, for the title
[[nodiscard]] nlohmann::ordered_json validation_data(simulator::Machine const& machine,
                                                     std::string const& file,
                                                     simulator::Validation const& validation);

/// What `keyswap whatif` printed with --json, or parse_sweep_csv() made of --csv.
/// \param file for the title and for errors
/// \return an error where a row lacks its times, or what was varied is not told
[[nodiscard]] Expected<nlohmann::ordered_json> sweep_data(std::string const& file,
                                                          nlohmann::json const& sweep);

} // namespace keyswap::tools
