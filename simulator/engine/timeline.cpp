#include "simulator/engine/timeline.hpp"

#include <algorithm>

namespace keyswap::simulator {

namespace {

void extend(TimeSpan& span, TaskTimes const& times) {
    span.begin = std::min(span.begin, times.launched);
    span.end = std::max(span.end, times.ended);
}

constexpr TimeSpan no_time_yet{sim_time_max, SimTime{}};

} // namespace

void add_phases(TaskGraph const& graph, Timeline& timeline) {
    std::vector<PhaseSpan>& spans = timeline.phases;
    TimeSpan launching = no_time_yet;
    std::size_t last = 0; // tasks of one phase and pass are mostly consecutive
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
        Task const& task = graph.tasks[i];
        TaskTimes const& times = timeline.tasks[i];
        if (!task.phase) {
            if (times.launched < times.ended) {
                extend(launching, times);
            }
            continue;
        }
        auto const is_its = [&task](PhaseSpan const& each) {
            return each.phase == *task.phase && each.pass == task.pass;
        };
        if (last == spans.size() || !is_its(spans[last])) {
            last = static_cast<std::size_t>(std::ranges::find_if(spans, is_its) - spans.begin());
        }
        if (last == spans.size()) {
            spans.push_back({*task.phase, task.pass, no_time_yet});
        }
        extend(spans[last].span, times);
    }
    timeline.launching = launching.begin == sim_time_max ? TimeSpan{} : launching;
}

TimeSpan phase_span(Timeline const& timeline, Phase phase, int pass) {
    TimeSpan span{sim_time_max, SimTime{}};
    for (PhaseSpan const& each : timeline.phases) {
        if (each.phase == phase && (pass == 0 || each.pass == pass)) {
            span.begin = std::min(span.begin, each.span.begin);
            span.end = std::max(span.end, each.span.end);
        }
    }
    return span.begin == sim_time_max ? TimeSpan{} : span;
}

} // namespace keyswap::simulator
