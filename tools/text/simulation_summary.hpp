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

/// A row of a table of phases.
struct PhaseRow {
    std::string name; ///< with its pass, "histogram 2"
    simulator::TimeSpan span;
};

/// The phases in the order in which they begin, for a table of at most a dozen rows: where passes
/// apart would be more, the passes of a phase are one row, "histogram 1-4", from the begin of the
/// first to the end of the last.
[[nodiscard]] std::vector<PhaseRow> phase_rows(simulator::Simulation const& simulation);

/// Channels that anything moves through, in the order of the platform.
[[nodiscard]] std::vector<simulator::ChannelUse>
used_channels(simulator::Simulation const& simulation);

/// At most so many of them: those that are at capacity for the longest time first, then those whose
/// mean rate is the largest part of their capacity.
[[nodiscard]] std::vector<simulator::ChannelUse>
busiest_channels(simulator::Simulation const& simulation, std::size_t count);

/// The channel that is at capacity for the longest part of the run; nullopt if no channel
/// saturates.
[[nodiscard]] std::optional<simulator::ChannelUse>
busiest_channel(simulator::Simulation const& simulation);

/// It in a sentence.
[[nodiscard]] std::string bottleneck(simulator::Simulation const& simulation);

} // namespace keyswap::tools
