#pragma once

/// \file `keyswap simulate --operation`: predicts a plain collective instead of a sort.

#include "simulator/prediction/collective.hpp"
#include "tools/text/json.hpp"

#include <string>

namespace keyswap::tools {

/// Prints total, bandwidths, interval and the limiting link.
void print_operation(simulator::Machine const& machine,
                     simulator::CollectivePrediction const& prediction);

/// Output of --json. \param given constants and changes from the command line
[[nodiscard]] Json operation_json(simulator::Machine const& machine,
                                  simulator::CollectivePrediction const& prediction,
                                  Json const& given);

/// Channel at capacity for the longest time; empty if none is for at least 10 % of the time.
[[nodiscard]] std::string limit_of(simulator::CollectivePrediction const& prediction);

} // namespace keyswap::tools
