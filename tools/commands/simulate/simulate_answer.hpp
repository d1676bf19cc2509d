#pragma once

/// \file Text output of `keyswap simulate`: the answer first, on one screen.

#include "simulator/calibration/certainty.hpp"
#include "simulator/prediction/simulation.hpp"
#include "tools/report/bars.hpp"

#include <cstddef>
#include <string>

namespace keyswap::tools {

enum class LinksShown {
    busiest, ///< five, or fewer if the answer would exceed a screen
    all
};

/// Layout of the answer.
struct AnswerLayout {
    std::size_t columns; ///< width of the terminal
    LinksShown links = LinksShown::busiest;
    BarStyle bars = BarStyle::none;
    std::string note = {}; ///< additional sentence; empty if none
};

/// Total, interval, bottleneck, memory, phases and the busiest links, in at most 25 lines at 80
/// columns; LinksShown::all adds a line per further link.
[[nodiscard]] std::string answer_text(simulator::Machine const& machine,
                                      simulator::Simulation const& simulation,
                                      simulator::Certainty const& certainty,
                                      AnswerLayout const& layout);

} // namespace keyswap::tools
