#pragma once

/// \file `keyswap simulate --operation`: a plain collective instead of a sort.

#include "simulator/study/collective.hpp"
#include "tools/commands/command_line.hpp"
#include "tools/text/json.hpp"

#include <string>
#include <vector>

namespace keyswap::tools {

/// Total, bandwidths, interval and the link that limits it.
void print_operation(simulator::Machine const& machine,
                     simulator::CollectivePrediction const& prediction);

/// The same with --json. \param given constants and changes that were asked for
[[nodiscard]] Json operation_json(simulator::Machine const& machine,
                                  simulator::CollectivePrediction const& prediction,
                                  Json const& given);

/// The channel that is at capacity for most of the time; empty if none is for a tenth of it.
[[nodiscard]] std::string limit_of(simulator::CollectivePrediction const& prediction);

} // namespace keyswap::tools
