#include "simulator/engine/timeline.hpp"

#include <algorithm>

namespace keyswap::simulator {

TimeSpan phase_span(TaskGraph const& graph, Timeline const& timeline, Phase phase, int pass) {
    TimeSpan span{sim_time_max, SimTime{0}};
    for (std::size_t i = 0; i < graph.tasks.size(); ++i) {
        Task const& task = graph.tasks[i];
        if (task.phase == phase && (pass == 0 || task.pass == pass)) {
            span.begin = std::min(span.begin, timeline.tasks[i].launched);
            span.end = std::max(span.end, timeline.tasks[i].ended);
        }
    }
    return span.begin == sim_time_max ? TimeSpan{} : span;
}

} // namespace keyswap::simulator
