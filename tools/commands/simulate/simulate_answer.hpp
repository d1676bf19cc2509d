#pragma once

/// \file Text output of `keyswap simulate`: the answer first, on one screen.

#include "simulator/calibration/certainty.hpp"
#include "simulator/prediction/simulation.hpp"
#include "tools/report/bars.hpp"

#include <cstddef>
#include <string>

namespace keyswap::tools {

/// A prediction and its uncertainty.
struct SimulateAnswer {
    simulator::Simulation simulation;
    simulator::Certainty certainty;
};

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
                                      SimulateAnswer const& answer,
                                      AnswerLayout const& layout);

} // namespace keyswap::tools
