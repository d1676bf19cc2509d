#pragma once

/// \file Pictures without a browser: text for Graphviz.

#include "simulator/study/simulation.hpp"
#include "tools/report/run_view.hpp"

#include <string>

namespace keyswap::tools {

/// The machine with the mean rates of its links over the simulated sort, the busier direction of
/// each.
[[nodiscard]] std::string topology_picture(simulator::Machine const& machine,
                                           simulator::Simulation const& simulation);

/// Sources, buckets of the first pass, destinations; spanning buckets stand out. Of more than 16
/// GPUs blocks are drawn. Empty where there are no buckets.
[[nodiscard]] std::string flow_picture(RunView const& view);

/// The tree of passes: what each spanning bucket was refined into. Empty where there are no
/// buckets.
[[nodiscard]] std::string passes_picture(RunView const& view);

} // namespace keyswap::tools
