#pragma once

/// \file What `keyswap simulate` prints for people: the answer first, on one screen.

#include "simulator/study/certainty.hpp"
#include "simulator/study/simulation.hpp"
#include "tools/report/bars.hpp"

#include <cstddef>
#include <string>

namespace keyswap::tools {

/// A prediction and how sure it is.
struct SimulateAnswer {
    simulator::Simulation simulation;
    simulator::Certainty certainty;
};

enum class LinksShown {
    busiest, ///< five, or fewer where the answer would not fit a screen
    all
};

/// How the answer is laid out.
struct AnswerLayout {
    std::size_t columns; ///< of the terminal
    LinksShown links = LinksShown::busiest;
    BarStyle bars = BarStyle::none;
    std::string note = {}; ///< a further sentence; empty if there is none
};

/// Total, interval, bottleneck, memory, phases and the busiest links, at most 25 lines at 80
/// columns; with all links, as many lines more as there are links.
[[nodiscard]] std::string answer_text(simulator::Machine const& machine,
                                      SimulateAnswer const& answer,
                                      AnswerLayout const& layout);

} // namespace keyswap::tools
