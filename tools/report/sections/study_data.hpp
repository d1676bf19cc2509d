#pragma once

/// \file Validations, rates and what-if sweeps as input of the page's
/// script.

#include "simulator/calibration/rate_validation.hpp"
#include "simulator/calibration/validation.hpp"
#include "tools/text/json.hpp"
#include "traces/errors/input_error.hpp"

#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace keyswap::tools {

/// Predicted and measured times of every configuration in a measurements file.
/// \param file name of the input, for the title
[[nodiscard]] Json validation_data(simulator::Machine const& machine,
                                   std::string const& file,
                                   simulator::Validation const& validation);

/// Predicted and published rates of every row in a table of rates.
/// \param file name of the input
[[nodiscard]] Json rates_data(std::string const& file,
                              std::vector<simulator::PredictedRate> const& rows);

/// A sweep from `keyswap whatif --json`, or from --csv via parse_sweep_csv().
/// \param file name of the input, for the title and for errors
/// \return an error if a row has no times, or the varied parameter is unknown
[[nodiscard]] Expected<Json> sweep_data(std::string const& file, nlohmann::json const& sweep);

} // namespace keyswap::tools
