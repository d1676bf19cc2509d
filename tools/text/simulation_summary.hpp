#pragma once

/// \file Summaries of a simulation, for text and pages.

#include "simulator/prediction/simulation.hpp"

#include <optional>
#include <string>
#include <vector>

namespace keyswap::tools {

struct PhaseLine {
    std::string name;
    int pass = 0;
    simulator::TimeSpan span;
};

/// Phases ordered by begin, one entry per pass.
[[nodiscard]] std::vector<PhaseLine> phase_lines(simulator::Simulation const& simulation);

/// Phases ordered by begin, for a compact table, with their passes as part of the name,
/// "histogram 2": one row per pass if that gives at most eight rows; otherwise the passes of a
/// phase share a row, "histogram 1-4", from the begin of the first to the end of the last.
[[nodiscard]] std::vector<PhaseLine> phase_rows(simulator::Simulation const& simulation);

/// Channels that carry any data, in platform order.
[[nodiscard]] std::vector<simulator::ChannelUse>
used_channels(simulator::Simulation const& simulation);

/// At most `count` of the used channels, ordered by their time at capacity, then by their mean rate
/// relative to capacity.
[[nodiscard]] std::vector<simulator::ChannelUse>
busiest_channels(simulator::Simulation const& simulation, std::size_t count);

/// The channel that is at capacity for the longest time, with its share of the run; nullopt if no
/// channel saturates.
[[nodiscard]] std::optional<simulator::ChannelUse>
busiest_channel(simulator::Simulation const& simulation);

/// Time until all keys are in their ranges. \pre simulation.schedule.ranges has a value
[[nodiscard]] double distributed_ms(simulator::Simulation const& simulation);

/// busiest_channel() as a sentence.
[[nodiscard]] std::string bottleneck(simulator::Simulation const& simulation);

} // namespace keyswap::tools
