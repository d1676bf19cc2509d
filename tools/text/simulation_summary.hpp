#pragma once

/// \file What a simulation comes to, for people and for reports.

#include "simulator/study/simulation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

struct PhaseLine {
    std::string name;
    int pass = 0;
    simulator::TimeSpan span;
};

/// Phases in the order in which they begin; passes apart.
[[nodiscard]] std::vector<PhaseLine> phase_lines(simulator::Simulation const& simulation);

/// Channels that anything moves through, in the order of the platform.
[[nodiscard]] std::vector<simulator::ChannelUse>
used_channels(simulator::Simulation const& simulation);

/// The channel that is at capacity for the longest part of the run; nothing where none ever is.
[[nodiscard]] std::optional<simulator::ChannelUse>
busiest_channel(simulator::Simulation const& simulation);

/// It in a sentence.
[[nodiscard]] std::string bottleneck(simulator::Simulation const& simulation);

} // namespace keyswap::tools
