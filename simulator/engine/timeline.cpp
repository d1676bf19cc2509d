#include "simulator/engine/timeline.hpp"

#include <algorithm>

namespace keyswap::simulator {

std::vector<PhaseSpan> phase_spans(TaskGraph const& graph, std::vector<TaskTimes> const& times) {
    std::vector<PhaseSpan> spans;
    std::size_t last = 0; // tasks of one phase and pass follow each other
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
        Task const& task = graph.tasks[i];
        if (!task.phase) {
            continue;
        }
        auto const is_its = [&task](PhaseSpan const& each) {
            return each.phase == *task.phase && each.pass == task.pass;
        };
        if (last == spans.size() || !is_its(spans[last])) {
            last = static_cast<std::size_t>(std::ranges::find_if(spans, is_its) - spans.begin());
        }
        if (last == spans.size()) {
            spans.push_back({*task.phase, task.pass, {sim_time_max, SimTime{}}});
        }
        TimeSpan& span = spans[last].span;
        span.begin = std::min(span.begin, times[i].launched);
        span.end = std::max(span.end, times[i].ended);
    }
    return spans;
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
