#include "tools/text/simulation_summary.hpp"

#include "simulator/engine/chrome_trace.hpp"
#include "tools/text/number_text.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

namespace keyswap::tools {

namespace {

/// Minimum share of the sort for which a link at capacity is a bottleneck: a sort consists at least
/// of copy in, swap, kernels and copy out, and the bottleneck of one of them lasts longer.
constexpr double bottleneck_percent_min = 10.0;
/// Launches get their own line if phases leave more than this share of the time unexplained.
constexpr double unexplained_max = 0.01;
constexpr std::size_t phase_rows_most = 8; ///< limit for one row per pass
/// Smaller shares are not reported.
constexpr double reported_percent_min = 0.1;

std::vector<PhaseLine> lines_of_phases(simulator::Simulation const& simulation) {
    std::vector<PhaseLine> lines;
    lines.reserve(simulation.timeline.phases.size());
    for (simulator::PhaseSpan const& each : simulation.timeline.phases) {
        lines.push_back({std::string(to_string(each.phase)),
                         each.pass,
                         simulator::phase_span(simulation.timeline, each.phase, each.pass)});
    }
    return lines;
}

/// Time of the sort outside all phases.
simulator::SimTime time_between_phases(simulator::Simulation const& simulation) {
    std::vector<PhaseLine> const lines = lines_of_phases(simulation);
    std::vector<simulator::TimeSpan> spans;
    spans.reserve(lines.size());
    for (PhaseLine const& line : lines) {
        spans.push_back(line.span);
    }
    std::ranges::sort(spans, {}, &simulator::TimeSpan::begin);
    simulator::SimTime sum{};
    simulator::SimTime until{};
    for (simulator::TimeSpan const& span : spans) {
        if (span.end > until) {
            sum += span.end - std::max(span.begin, until);
            until = span.end;
        }
    }
    return simulation.timeline.makespan - sum;
}

} // namespace

std::vector<PhaseLine> phase_lines(simulator::Simulation const& simulation) {
    std::vector<PhaseLine> lines = lines_of_phases(simulation);
    simulator::Timeline const& timeline = simulation.timeline;
    double const hidden = simulator::to_seconds(time_between_phases(simulation));
    if (hidden > unexplained_max * simulator::to_seconds(timeline.makespan) &&
        timeline.launching.end > simulator::SimTime{}) {
        lines.push_back({std::string(simulator::launching_name), 0, timeline.launching});
    }
    std::ranges::stable_sort(lines, {}, [](PhaseLine const& line) {
        return std::pair{line.span.begin, line.span.end};
    });
    return lines;
}

std::vector<PhaseLine> phase_rows(simulator::Simulation const& simulation) {
    auto const lines = phase_lines(simulation);
    struct Passes {
        std::string name;
        int first;
        int last;
        simulator::TimeSpan span;
    };
    std::vector<Passes> all;
    for (PhaseLine const& line : lines) {
        auto const same = std::ranges::find(all, line.name, &Passes::name);
        if (lines.size() <= phase_rows_most || same == all.end()) {
            all.push_back({line.name, line.pass, line.pass, line.span});
        } else {
            same->first = std::min(same->first, line.pass);
            same->last = std::max(same->last, line.pass);
            same->span.begin = std::min(same->span.begin, line.span.begin);
            same->span.end = std::max(same->span.end, line.span.end);
        }
    }
    std::vector<PhaseLine> rows;
    for (Passes const& passes : all) {
        std::string pass = passes.last > 0 ? " " + std::to_string(passes.first) : "";
        pass += passes.last > passes.first ? "-" + std::to_string(passes.last) : "";
        rows.push_back({passes.name + pass, passes.first, passes.span});
    }
    return rows;
}

std::vector<simulator::ChannelUse> busiest_channels(simulator::Simulation const& simulation,
                                                    std::size_t count) {
    auto used = used_channels(simulation);
    std::ranges::stable_sort(used, std::ranges::greater{}, [](simulator::ChannelUse const& use) {
        return std::pair{use.saturated, std::lround(1000.0 * use.mean_Bps / use.capacity_Bps)};
    });
    used.resize(std::min(used.size(), count));
    return used;
}

std::vector<simulator::ChannelUse> used_channels(simulator::Simulation const& simulation) {
    std::vector<simulator::ChannelUse> used;
    std::ranges::copy_if(simulation.timeline.channels,
                         std::back_inserter(used),
                         [](simulator::ChannelUse const& use) { return use.size_bytes > 0.0; });
    return used;
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

double distributed_ms(simulator::Simulation const& simulation) {
    simulator::TaskId const task = simulation.schedule.ranges->distributed;
    return simulator::to_milliseconds(simulation.timeline.tasks[task.value].ended);
}

std::string bottleneck(simulator::Simulation const& simulation) {
    auto const most = busiest_channel(simulation);
    double const percent = most ? 100.0 * simulator::to_seconds(most->saturated) /
                                      simulator::to_seconds(simulation.timeline.makespan)
                                : 0.0;
    if (!most || percent < reported_percent_min) {
        return "No link limits this sort: kernels, launches and the rates of single copies do.";
    }
    bool const bounds =
        percent >= bottleneck_percent_min && most->saturated >= time_between_phases(simulation);
    double const GBps = most->capacity_Bps * 1e-9;
    if (bounds) {
        return "The bottleneck is " + most->name + ", at its " + printed("%.1f GB/s", GBps) +
               printed(" for %.0f %% of the sort.", percent);
    }
    return "No link limits this sort: the busiest, " + most->name + ", is at its " +
           printed("%.1f GB/s", GBps) + printed(" for %.1f %% of the time. ", percent) +
           "Kernels, launches and the rates of single copies do.";
}

} // namespace keyswap::tools
