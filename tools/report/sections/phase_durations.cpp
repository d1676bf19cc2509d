#include "tools/report/sections/simulation_data.hpp"

#include "tools/text/json.hpp"

#include <algorithm>
#include <map>
#include <ranges>
#include <string_view>
#include <utility>

namespace keyswap::tools {

namespace {

struct Span {
    double begin_ms = 0.0;
    double end_ms = 0.0;
};

using GpuSpans = std::map<std::uint32_t, Span>;                          ///< by GPU
using PhaseSpans = std::map<std::pair<std::string_view, int>, GpuSpans>; ///< by phase and pass

void extend(GpuSpans& spans, std::uint32_t gpu, Span added) {
    Span& span = spans.try_emplace(gpu, added).first->second;
    span.begin_ms = std::min(span.begin_ms, added.begin_ms);
    span.end_ms = std::max(span.end_ms, added.end_ms);
}

double longest(GpuSpans const& spans) {
    double longest_ms = 0.0;
    for (auto const& [gpu, span] : spans) {
        longest_ms = std::max(longest_ms, span.end_ms - span.begin_ms);
    }
    return longest_ms;
}

/// Duration of each phase on its slowest GPU, ordered by begin.
std::vector<PhaseDurations::Phase> slowest(PhaseSpans const& spans) {
    std::vector<std::pair<double, PhaseDurations::Phase>> by_begin;
    for (auto const& [phase, gpus] : spans) {
        auto const first = std::ranges::min(std::views::values(gpus), {}, &Span::begin_ms).begin_ms;
        by_begin.push_back({first, {std::string(phase.first), phase.second, longest(gpus)}});
    }
    std::ranges::stable_sort(by_begin, {}, [](auto const& phase) { return phase.first; });
    auto const phases = std::views::values(by_begin);
    return {phases.begin(), phases.end()};
}

double slowest_sort_and_copy_back(PhaseSpans const& spans) {
    GpuSpans both;
    for (auto const& [phase, gpus] : spans) {
        if (phase.first == to_string(Phase::bucket_sort) ||
            phase.first == to_string(Phase::device_to_host)) {
            for (auto const& [gpu, span] : gpus) {
                extend(both, gpu, span);
            }
        }
    }
    return longest(both);
}

/// Merges bucket sort and copy back into one phase, to compare with runs that report only their
/// sum.
PhaseDurations joined(PhaseDurations run) {
    auto const is = [](Phase phase) {
        return [phase](auto const& one) { return one.name == to_string(phase); };
    };
    if (std::erase_if(run.phases, is(Phase::bucket_sort)) > 0) { // else already merged
        std::erase_if(run.phases, is(Phase::device_to_host));
        run.phases.push_back({std::string(to_string(Phase::bucket_sort_and_copy_back)),
                              0,
                              run.sort_and_copy_back_ms});
    }
    return run;
}

std::string phase_label(PhaseDurations::Phase const& phase) {
    return phase.pass > 0 ? phase.name + ", pass " + std::to_string(phase.pass) : phase.name;
}

double duration_in(PhaseDurations const& run, std::string const& label) {
    auto const phase = std::ranges::find(run.phases, label, phase_label);
    return phase == run.phases.end() ? 0.0 : phase->duration_ms;
}

} // namespace

PhaseDurations phase_durations(simulator::Simulation const& simulation) {
    auto const& graph = simulation.schedule.graph;
    PhaseSpans spans;
    for (std::size_t index = 0; index < graph.tasks.size(); ++index) {
        auto const& task = graph.tasks[index];
        if (task.phase && task.stream) {
            auto const& times = simulation.timeline.tasks[index];
            auto const gpu = graph.streams[task.stream->value].gpu.value_or(~0U);
            extend(spans[{to_string(*task.phase), task.pass}],
                   gpu,
                   {simulator::to_milliseconds(times.launched),
                    simulator::to_milliseconds(times.ended)});
        }
    }
    return {simulation.request.algorithm,
            false,
            slowest(spans),
            simulator::to_milliseconds(simulation.timeline.makespan),
            slowest_sort_and_copy_back(spans)};
}

PhaseDurations phase_durations(RunView const& view) {
    constexpr double ns_per_ms = 1e6;
    PhaseSpans spans;
    double begin = 0.0;
    double end = 0.0;
    for (PhaseTimeRecord const& time : view.times) {
        Span const span{static_cast<double>(time.begin_ns) / ns_per_ms,
                        static_cast<double>(time.end_ns) / ns_per_ms};
        extend(spans[{time.phase.text(), time.pass}], time.gpu.value, span);
        begin = std::min(begin, span.begin_ms);
        end = std::max(end, span.end_ms);
    }
    return {view.title, true, slowest(spans), end - begin, slowest_sort_and_copy_back(spans)};
}

Json comparison_data(std::vector<PhaseDurations> runs) {
    bool const together = std::ranges::any_of(runs, [](PhaseDurations const& run) {
        return std::ranges::any_of(run.phases, [](auto const& phase) {
            return phase.name == to_string(Phase::bucket_sort_and_copy_back);
        });
    });
    for (PhaseDurations& run : runs) {
        run = together ? joined(std::move(run)) : std::move(run);
    }
    std::vector<std::string> labels;
    Json names = Json::array();
    for (PhaseDurations const& run : runs) {
        names.push_back(
            {{"name", run.name + (run.measured ? "" : ", predicted")}, {"measured", run.measured}});
        for (PhaseDurations::Phase const& phase : run.phases) {
            if (std::ranges::find(labels, phase_label(phase)) == labels.end()) {
                labels.push_back(phase_label(phase));
            }
        }
    }
    Json rows = json_array(labels, [&](std::string const& label) {
        Json durations =
            json_array(runs, [&](PhaseDurations const& run) { return duration_in(run, label); });
        return Json{{"phase", label}, {"ms", durations}};
    });
    Json totals = json_array(runs, &PhaseDurations::total_ms);
    rows.push_back({{"phase", "total"}, {"ms", totals}});
    return {{"kind", "comparison"}, {"title", "Phases compared"}, {"runs", names}, {"rows", rows}};
}

} // namespace keyswap::tools
