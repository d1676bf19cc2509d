#pragma once

/// \file Studies of many runs as the page's script reads them: validations, rates and
/// what-if sweeps.

#include "simulator/study/rate_validation.hpp"
#include "simulator/study/validation.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace keyswap::tools {

/// Predicted and measured times, for every configuration of a measurements file.
/// \param file what was read, for the title
[[nodiscard]] Json validation_data(simulator::Machine const& machine,
                                   std::string const& file,
                                   simulator::Validation const& validation);

/// Predicted and published rates, for every row of a table of rates.
/// \param file what was read
[[nodiscard]] Json rates_data(std::string const& file,
                              std::vector<simulator::PredictedRate> const& rows);

/// What `keyswap whatif` printed with --json, or parse_sweep_csv() made of --csv.
/// \param file for the title and for errors
/// \return an error where a row lacks its times, or it is unknown what was varied
[[nodiscard]] Expected<Json> sweep_data(std::string const& file, nlohmann::json const& sweep);

} // namespace keyswap::tools
