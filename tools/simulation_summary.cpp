#include "tools/simulation_summary.hpp"

#include <algorithm>
#include <cstdio>

namespace keyswap::tools {

std::vector<PhaseLine> phase_lines(simulator::Simulation const& simulation) {
    std::vector<PhaseLine> lines;
    for (simulator::Task const& task : simulation.schedule.graph.tasks) {
        std::string const name(simulation.schedule.graph.text(task.phase));
        bool const known = std::ranges::any_of(lines, [&](PhaseLine const& line) {
            return line.name == name && line.pass == task.pass;
        });
        if (!name.empty() && !known) {
            lines.push_back({name,
                             task.pass,
                             simulator::phase_span(
                                 simulation.schedule.graph, simulation.timeline, name, task.pass)});
        }
    }
    std::ranges::stable_sort(lines, {}, [](PhaseLine const& line) {
        return std::pair{line.span.begin, line.span.end};
    });
    return lines;
}

std::optional<simulator::ChannelUse> busiest_channel(simulator::Simulation const& simulation) {
    auto const& channels = simulation.timeline.channels;
    auto const most = std::ranges::max_element(
        channels, {}, [](simulator::ChannelUse const& use) { return use.saturated; });
    if (most == channels.end() || most->saturated == simulator::SimTime{}) {
        return std::nullopt;
    }
    return *most;
}

std::string bottleneck(simulator::Simulation const& simulation) {
    auto const most = busiest_channel(simulation);
    if (!most) {
        return "No link is ever at its capacity: kernels, launches and single copies' own rates "
               "bound this sort.";
    }
    char text[320];
    std::snprintf(text,
                  sizeof text,
                  "The bottleneck is %s: it runs at its %.1f GB/s for %.0f %% of the sort.",
                  most->name.c_str(),
                  most->capacity_Bps * 1e-9,
                  100.0 * simulator::to_seconds(most->saturated) /
                      simulator::to_seconds(simulation.timeline.makespan));
    return text;
}

} // namespace keyswap::tools
